// The texts that `--help` prints.
#pragma once

#include <string_view>

#include "dataloader/cli/request.h"

namespace carrack::data::cli {

// Returns the help of `carrack data`, which lists its commands.
std::string_view usage();
// Returns the help of one command.
std::string_view usage(Command command);

}  // namespace carrack::data::cli
