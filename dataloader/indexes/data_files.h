// The files that a pattern stands for, in the order of their names, each with the index beside it, if there is one.
// An index is never taken for data, so the same pattern means the same records whether or not they are indexed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Says what somebody should know, though all goes on.
using Log = std::function<void(const std::string& line)>;

struct DataFile {
  Listed file;
  std::optional<Listed> index;  // That is called so; what it is worth is not known yet.
};

std::vector<DataFile> data_files(Storage& storage, const std::string& pattern, const Log& log);

}  // namespace carrack::data
