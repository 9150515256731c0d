// Looks at the files that a manifest names as data: whether there are any, whether they are TFRecords, and whether
// their first records have the features. Reads a few records of each set of files, and the first bytes of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/record_check.h"

namespace carrack::train {

// What stands in a manifest as a list of files.
struct FileList {
  std::string field;  // spec.data.train.files
  const std::vector<std::string>* patterns;
};

struct FilesFound {
  std::uint64_t files = 0;
  std::uint64_t left_out = 0;  // patterns that were not to be looked at
  std::vector<LookProblem> problems = {};
};

// Whether a file is to be looked at, by its path or URL.
using IsLookedAt = std::function<bool(const std::string& url)>;

// Records are also compared with the features by `check`, which keeps what it finds. Damaged records are no problem
// with OnDamage::skip.
FilesFound look_at_files(const FileList& list, const data::Storages& storages, const IsLookedAt& is_looked_at,
                         OnDamage on_damage, RecordCheck& check);

}  // namespace carrack::train
