// Checks the files that a manifest names as data: whether they exist, whether they are TFRecords, and whether their
// first records have the features of the manifest.
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
  std::string field;                         // the path of the list in the manifest: "spec.data.train.files"
  const std::vector<std::string>* patterns;  // the elements of the list; not null
};

struct FilesFound {
  std::uint64_t files = 0;     // the number of files that match the patterns that were not skipped
  std::uint64_t left_out = 0;  // the number of skipped patterns, for which IsLookedAt returned false
  std::vector<LookProblem> problems = {};
};

// Returns whether a path, URL or pattern may be read. If it returns false, the files are skipped without a problem.
// Called on the calling thread; must not be empty.
using IsLookedAt = std::function<bool(const std::string& url)>;

// Reads the first three records of the first, the middle and the last file, and passes them to `check`, which collects
// the problems of features: they are not in the result. To find files of other kinds, also reads the first bytes of the
// local files among the first 1,000. With OnDamage::skip damaged records are not a problem. A data::Error of the
// storage becomes a problem in the result.
FilesFound look_at_files(const FileList& list, const data::Storages& storages, const IsLookedAt& is_looked_at,
                         OnDamage on_damage, RecordCheck& check);

}  // namespace carrack::train
