// What is known about opened data besides its elements: what was found when a pipeline, or a stage of it, was opened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// How exactly a pipeline continues from a saved state. Larger values are worse.
enum class Resume : std::uint8_t {
  exact,        // exactly, and the state is a few numbers
  exact_state,  // exactly, but the state has all rows that the stages hold, or what came before is read again
  none,         // a pipeline cannot continue from a state
};

// Where in storage the rows lie that are read one after the other. Larger values are worse.
enum class Spread : std::uint8_t {
  together,   // in the order of the files
  runs,       // runs of neighbours, in any order
  scattered,  // each row anywhere
};

// What is known about opened data besides its elements.
struct Facts {
  std::uint64_t files = 0, file_bytes = 0, file_records = 0;  // that are read
  bool is_remote = false;                                     // Each read takes a network request.
  // Rows that had been left out before this was opened (those a snapshot lacks), and the first of them.
  std::uint64_t skipped_rows = 0;
  std::vector<Corrupt> skipped_first = {};
  Resume resume = Resume::exact;
  std::uint64_t state_rows = 0;  // rows that a saved state holds
  Spread spread = Spread::together;
  // Rows that block shuffles have in memory at once. To read what they return in another order would read each block
  // again and again.
  std::uint64_t held_rows = 0;
  // Different for different data, as far as that can be seen; part of what a saved state is checked against.
  std::string data_fingerprint = {};

  // Adds those of a further input: numbers add up, and of `resume` and `spread` the worse one counts.
  void merge(const Facts& input);
};

// What opening a stage found.
struct OpenedStage {
  std::string kind;
  std::string description;          // of its options
  bool is_sequence = false;         // else a stream
  std::uint64_t elements = 0;       // rows or batches of a sequence; 0 for a stream
  std::uint64_t element_bytes = 0;  // about how many bytes of storage each takes; 0 if unknown
  std::uint64_t batch = 0;          // rows of a batch; 0 if the elements are rows
  Facts facts = {};                 // of all stages up to this one
};

}  // namespace carrack::data
