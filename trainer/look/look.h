// Checks the files that a job reads, before any of its processes starts, for `carrack validate` and `carrack run`.
// Reads the first records of a few files, and no tensors, and reports all problems in them at once. Writes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/record_check.h"

namespace carrack::train {

// Which files to check.
enum class Reach {
  everything,
  local_files,  // skips everything in remote storage, without a problem
};

struct LookResult {
  std::vector<LookProblem> problems;  // empty: none; no problem is listed twice
  // The number of files that match the patterns. Skipped patterns add none, and neither does a list with a pattern that
  // matches files that the job itself writes, because such a list is not read.
  std::uint64_t training_files = 0;
  std::uint64_t evaluation_files = 0;
  // The features with which the records of training were compared, sorted by name: those of the filters if the job has
  // any, otherwise all that the model reads.
  std::vector<Feature> features = {};
};

// Checks the data files (data_files_check.h) and the checkpoints and weights from which the job starts
// (starting_points.h). `config` must be valid. `job_uid` is empty if the job has no UID yet. A storage that cannot be
// read is a problem in the result, not an exception.
LookResult look_at(const Config& config, const std::string& job_uid, const data::Storages& storages, Reach reach);

}  // namespace carrack::train
