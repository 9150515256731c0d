// Lists the files of a job's data set: the files that match a pattern such as gs://b/train-*, each with the index next
// to it (train-1.index for train-1), if it has one. If the pattern also matches that index, a text index or a file
// of column names, it is left out, so the result has the same records whether or not they are indexed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Receives one line, without a line break, about a problem that does not stop the work. It may be called from several
// threads at the same time, and must not be empty.
using Log = std::function<void(const std::string& line)>;

// A file of records, and the index next to it.
struct DataFile {
  Listed file;
  std::optional<Listed> index;  // found by its name, but not read, so it may be unusable; nullopt: none found
};

// Returns the files sorted by URL; empty if none matches. Storage::list() defines patterns. Throws an Error if the
// files cannot be listed. If only the indexes cannot be listed, logs that and returns the files without indexes.
std::vector<DataFile> data_files(Storage& storage, const std::string& pattern, const Log& log);

}  // namespace carrack::data
