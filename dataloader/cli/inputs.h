// The files that a command is asked to read.
#pragma once

#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

bool is_folder(Storage& storage, const std::string& name);

// In the order in which they were named, those of a pattern sorted, each once. An index is left out where a pattern
// finds it beside its file. Throws Refused, in the words that were typed, for a name or a pattern that stands for no
// file.
std::vector<Listed> files_of(const Storages& storages, const std::vector<std::string>& named);

}  // namespace carrack::data::cli
