// The texts that `--help` prints.
#pragma once

#include <string_view>

#include "dataloader/cli/request.h"

namespace carrack::data::cli {

// Of `carrack data`, and of one of its commands.
std::string_view usage();
std::string_view usage(Command command);

}  // namespace carrack::data::cli
