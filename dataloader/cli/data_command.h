// The entry point of `carrack data`, which reports what files of records hold and converts files to records.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Runs the command and returns its exit code; docs/reference/data.md lists the codes. `arguments` are the arguments
// after `carrack data`. Errors are printed, not thrown. `storages` is called once, unless only help or a wrong argument
// is reported, and may throw Refused or Error. `environment` is the environment of a program whose output is read; each
// entry is NAME=VALUE. After this call the process ignores SIGPIPE and SIGXFSZ, and handles SIGINT, SIGTERM and SIGHUP
// (terminal.h), for the rest of its life.
int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
