// What a manifest says of its data: files, stages, features.
#pragma once

#include "operator/core/problems.h"

namespace carrack::control {

void check_data(const train::Data& data, Problems& problems);

}  // namespace carrack::control
