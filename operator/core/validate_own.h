// Validates what a spec says of the user's program.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// With strategy Own.
void check_own(const JobSpec& spec, Problems& problems);

// With a model of kind Own, whose workers run it.
void check_own_worker(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
