// `carrack data`: what is in files of records, and other files of the same records.
#pragma once

#include <functional>
#include <span>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// The arguments behind `data`. `storages` is called once, if files are read at all, and may throw Refused. Returns the
// exit code: 0 all is well, 1 something is damaged or could not be read or written, 2 what was typed makes no sense,
// 130 it was interrupted, 141 nobody reads what it prints.
int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
