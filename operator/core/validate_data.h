// The part of validate.h that checks spec.data: files, stages, mix and features.
#pragma once

#include "operator/core/problems.h"

namespace carrack::control {

// Adds the problems of `data`. Does not read any file.
void check_data(const train::Data& data, Problems& problems);

}  // namespace carrack::control
