// A look at what a job reads, before anything of it starts: wrong names, types and sizes are found at once and
// together, instead of one by one by the processes of the job. It reads a few records and changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/record_check.h"

namespace carrack::train {

enum class Reach {
  everything,
  local_files,  // leaves out what is in remote storage
};

struct LookResult {
  std::vector<LookProblem> problems;
  std::uint64_t training_files = 0;
  std::uint64_t evaluation_files = 0;
  std::vector<Feature> features = {};  // with which the records were compared, sorted by name
};

// The configuration must be a valid one. A storage that cannot be used is a problem, too.
LookResult look_at(const Config& config, const data::Storages& storages, Reach reach);

}  // namespace carrack::train
