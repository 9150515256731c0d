// `carrack data`: reports what is in files of records and writes other files of the same records.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Runs the command whose arguments after `data` are these, and returns the exit code as docs/reference/data.md lists
// them. `storages` is called once, if files are read at all, and may throw Refused. `environment` is that of programs
// that are read; each is NAME=VALUE. Changes signal handlers of the process.
int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
