// The part of validate.h that checks spec.data: files, stages, mix and features.
#pragma once

#include "operator/core/problems.h"

namespace carrack::control {

// Adds a problem to `problems` for each invalid value in `data`. Does not read any data file.
void check_data(const train::Data& data, Problems& problems);

}  // namespace carrack::control
