// Facts: what is known about the data of a pipeline, or of its first stages, once it is open: the sizes of the files,
// how exactly it resumes, and in which order files are read. It is used to explain pipelines to users (explain.h), to
// decide how later stages open, and to check saved states. Each stage's open() changes the Facts of its input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// How a pipeline continues from a saved state. A larger value is worse.
enum class Resume : std::uint8_t {
  exact,        // It returns exactly the remaining rows. The state is a few numbers.
  exact_state,  // The same, but at a cost: the state has all buffered rows, or earlier rows are read again.
  none,         // It cannot continue.
};

// In which order the rows of the files are read from storage. A larger value costs more seeks or requests.
enum class ReadOrder : std::uint8_t {
  as_stored,  // in the order in which they are in the files
  runs,       // runs of neighbouring rows, in any order of the runs
  scattered,  // each row separately, in any order
};

struct Facts {
  std::uint64_t files = 0, file_bytes = 0, file_records = 0;  // of the files that are read; 0: unknown
  bool is_remote = false;                                     // Any file is remote: each read takes a network request.
  bool is_inflated = false;  // Any file is compressed: each read inflates bytes before it.
  // The number of rows that were already missing when this was opened, because a snapshot or the cache of a stream
  // lacks them, and the first of them.
  std::uint64_t skipped_rows = 0;
  std::vector<Corrupt> first_skipped = {};
  Resume resume = Resume::exact;
  std::uint64_t state_rows = 0;  // maximum number of rows in a saved state
  ReadOrder read_order = ReadOrder::as_stored;
  // The number of rows that the block shuffles of this pipeline have in memory at the same time; 0: there is no such
  // shuffle. If it is not 0, later stages should read in order, because any other order would read each run many times.
  std::uint64_t held_rows = 0;
  // Identifies the data by what is known without reading all of it. A saved state is refused if this text is different.
  std::string data_fingerprint = {};

  // Adds the facts of another input of the same stage. Sums the numbers, appends the lists and the fingerprints, and
  // uses the worse `resume` and `read_order`. The result is remote, or inflated, if either is.
  void merge(const Facts& input);

  // Returns true if reading neighbouring rows together costs much less than reading each row separately, so that a
  // shuffle should be a block shuffle.
  bool prefers_runs() const { return is_remote || is_inflated; }
};

// One stage of an open pipeline, described for users: a line of `carrack data explain`.
struct OpenedStage {
  std::string kind;
  std::string description;          // its options, human-readable; may be empty
  bool is_sequence = false;         // true: its elements can be read at any place (sequence.h); false: a stream
  std::uint64_t elements = 0;       // rows or batches of a sequence, may be `endless`; 0: a stream
  std::uint64_t element_bytes = 0;  // about how many bytes of storage each element takes; 0: unknown
  std::uint64_t batch = 0;          // rows of a batch; 0: the elements are rows
  Facts facts = {};                 // of all stages up to this one
};

}  // namespace carrack::data
