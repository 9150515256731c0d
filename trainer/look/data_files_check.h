// Checks the files that a manifest names as data, for `carrack validate` and `carrack run`: whether they exist, whether
// they are TFRecords, and whether their first records have the features of the manifest. look_at() (look.h) calls this.
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
  std::uint64_t files = 0;                 // the number of files that match the patterns that were not skipped
  std::uint64_t left_out = 0;              // the number of patterns that were skipped because MayRead returned false
  std::vector<LookProblem> problems = {};  // empty: none
};

// Returns whether a path, URL or pattern may be read. If it returns false, the files are skipped, and that is not a
// problem: `carrack run` skips remote storage in this way. Called on the calling thread; must not be empty.
using MayRead = std::function<bool(const std::string& url)>;

// Checks one list of files. Reads the first three records of the first, the middle and the last file, and passes them
// to `check`. Problems of features are then in check.problems(), and not in the result. Also reads the first bytes of
// the local files among the first 1,000, to find files that are not TFRecords; at most 5 of them get a problem of their
// own, and one more problem counts the others. With OnDamage::skip damaged records are not a problem. A data::Error of
// the storage becomes a problem in the result.
FilesFound look_at_files(const FileList& list, const data::Storages& storages, const MayRead& may_read,
                         OnDamage on_damage, RecordCheck& check);

}  // namespace carrack::train
