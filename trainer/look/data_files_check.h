// Checks the files that a manifest names as data: whether they exist, whether they are TFRecords, and whether their
// first records have the features.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/record_check.h"

namespace carrack::train {

// A list of files in a manifest.
struct FileList {
  std::string field;                         // "spec.data.train.files"
  const std::vector<std::string>* patterns;  // not null
};

struct FilesFound {
  std::uint64_t files = 0;     // that match the patterns, left_out ones excepted
  std::uint64_t left_out = 0;  // patterns for which IsLookedAt returned false
  std::vector<LookProblem> problems = {};
};

// Returns whether a path, URL or pattern may be read. Those for which it returns false are skipped without a problem.
using IsLookedAt = std::function<bool(const std::string& url)>;

// Reads the first three records of the first, the middle and the last file, and passes them to `check`, which collects
// problems of features. Of other files it reads only the first bytes, at most of the first 1,000 files, and not of
// remote ones. With OnDamage::skip damaged records are not a problem. Problems with the storage are part of the result.
FilesFound look_at_files(const FileList& list, const data::Storages& storages, const IsLookedAt& is_looked_at,
                         OnDamage on_damage, RecordCheck& check);

}  // namespace carrack::train
