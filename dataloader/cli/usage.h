// What `--help` prints.
#pragma once

#include <string_view>

#include "dataloader/cli/request.h"

namespace carrack::data::cli {

std::string_view usage();
std::string_view usage(Command command);

}  // namespace carrack::data::cli
