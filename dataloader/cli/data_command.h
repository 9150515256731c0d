// `carrack data`: reports what is in files of records and writes other files of the same records.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Runs the command whose arguments after `data` are these, and returns its exit code; docs/reference/data.md lists the
// codes. Errors are printed, not thrown. `storages` is called once, if files are read at all, and may throw Refused.
// `environment` is for the programs whose output is read; each entry is NAME=VALUE. From then on the process ignores
// SIGPIPE and SIGXFSZ and handles SIGINT, SIGTERM and SIGHUP.
int data_command(std::span<char* const> arguments, const std::function<const Storages&()>& storages,
                 const std::vector<std::string>& environment);

}  // namespace carrack::data::cli
