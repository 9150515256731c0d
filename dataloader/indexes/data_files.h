// The files that match a pattern, in the order of their names, each with the index beside it, if there is one. Indexes
// are not data, so a pattern matches the same records whether or not they are indexed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Receives one line about a problem that does not stop the work. Called from any thread.
using Log = std::function<void(const std::string& line)>;

struct DataFile {
  Listed file;
  std::optional<Listed> index;  // by its name; it may be unusable
};

// Throws an Error if the files cannot be listed; if only the indexes cannot, that is logged.
std::vector<DataFile> data_files(Storage& storage, const std::string& pattern, const Log& log);

}  // namespace carrack::data
