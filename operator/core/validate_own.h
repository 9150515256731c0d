// Validates what a spec with strategy Own says of the user's program.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

void check_own(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
