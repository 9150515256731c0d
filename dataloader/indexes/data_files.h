// Lists the files of a data set: those that match a pattern, each with the index next to it, if it has one. A pattern
// that also matches the index, or the file of column names, of a matched file skips it, so it matches the same records
// whether or not they are indexed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Receives one line about a problem that does not stop the work. It may be called from several threads at once.
using Log = std::function<void(const std::string& line)>;

struct DataFile {
  Listed file;
  std::optional<Listed> index;  // found by its name and not read, so it may be unusable
};

// Returns the files sorted by URL; empty if none matches. Throws an Error if the files cannot be listed; if only the
// indexes cannot, logs it and returns the files without indexes.
std::vector<DataFile> data_files(Storage& storage, const std::string& pattern, const Log& log);

}  // namespace carrack::data
