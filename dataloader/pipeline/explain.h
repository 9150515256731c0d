// Explains an opened pipeline to people: what each stage gives and how exactly it resumes, how the files are read, how
// many threads run and how much memory they take. A pure function of what opening found; it reads no rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

struct ReadingOptions;

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

OpenedStage opened_stage(const Stage& stage, const Opened& opened);

// `stages` as Reading::stages() has them.
std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& options);

}  // namespace carrack::data
