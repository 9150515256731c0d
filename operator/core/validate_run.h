// The part of validate.h that checks spec.run: deadlines, limits and failure rules.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// Adds a problem to `problems` for each invalid value in spec.run.
void check_run(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
