// What a pipeline is, once it is opened, in words: stage by stage what each gives and how exactly it goes on, how the
// files are read, and with how many threads and how much memory. A pure function of what opening it has found; no row
// is read for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

struct ReadingOptions;

// A stage as it was opened.
struct OpenedStage {
  std::string stage;
  std::string asked;
  bool by_place = false;
  std::uint64_t elements = 0;       // by place: rows or batches
  std::uint64_t element_bytes = 0;  // by place: about, of storage; 0 where that is not known
  std::uint64_t batch = 0;
  Spread spread = Spread::together;
  bool is_far = false;
  std::uint64_t files = 0, file_bytes = 0;
  Resume resume = Resume::exact;
  std::uint64_t state_rows = 0, held_rows = 0;
  bool operator==(const OpenedStage&) const = default;
};

OpenedStage stage_of(const Plan& plan, const Opened& opened);

// The source first, as Reading::stages() has them.
std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& options);

}  // namespace carrack::data
