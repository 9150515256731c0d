// What opening a pipeline, or a stage, has found out about its data: sizes, how exactly it resumes, and how it is read.
// Used to explain pipelines to users, to decide how later stages open, and to check saved states.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// How a pipeline continues from a saved state. Larger values are worse.
enum class Resume : std::uint8_t {
  exact,        // It returns exactly the remaining rows. The state is a few numbers.
  exact_state,  // The same rows, but the state has all buffered rows, or all earlier rows are read again.
  none,         // It cannot continue.
};

// In which order the rows of the files are read. Larger values cost more seeks or requests.
enum class Spread : std::uint8_t {
  together,   // in the order in which they are in the files
  runs,       // runs of neighbouring rows, in any order of the runs
  scattered,  // each row on its own, in any order
};

struct Facts {
  std::uint64_t files = 0, file_bytes = 0, file_records = 0;  // of the files that are read; 0 if unknown
  bool is_remote = false;                                     // Any file is remote: each read takes a network request.
  bool is_inflated = false;  // Any file is compressed: each read inflates bytes before it.
  // How many rows were already missing when this was opened, such as rows that a snapshot lacks, and the first of them.
  std::uint64_t skipped_rows = 0;
  std::vector<Corrupt> first_skipped = {};
  Resume resume = Resume::exact;
  std::uint64_t state_rows = 0;  // the most rows that a saved state contains
  Spread spread = Spread::together;
  // How many rows the block shuffles of this pipeline hold in memory at once; 0 without such a shuffle. If it is not 0,
  // later stages should read in order: any other order would read each run many times.
  std::uint64_t held_rows = 0;
  // Identifies the data by what is known without reading all of it. A saved state is refused if this text has changed.
  std::string data_fingerprint = {};

  // Adds the facts of another input of the same stage: sums the numbers, appends the lists and fingerprints, and uses
  // the worse `resume` and `spread`. The result is remote, or inflated, if either is.
  void merge(const Facts& input);

  // True if reading neighbouring rows together costs much less than reading each on its own.
  bool prefers_runs() const { return is_remote || is_inflated; }
};

// One stage of an opened pipeline, described for users.
struct OpenedStage {
  std::string kind;
  std::string description;          // its options, for users
  bool is_sequence = false;         // true: its elements are a sequence; false: a stream
  std::uint64_t elements = 0;       // rows or batches of a sequence, may be `endless`; 0 for a stream
  std::uint64_t element_bytes = 0;  // about how many bytes of storage each takes; 0 if unknown
  std::uint64_t batch = 0;          // rows of a batch; 0 if the elements are rows
  Facts facts = {};                 // of all stages up to this one
};

}  // namespace carrack::data
