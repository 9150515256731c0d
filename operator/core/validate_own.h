// The part of validate.h that checks what a spec says about the user's own program.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// Adds the problems of a spec with strategy Own; spec.own must be set.
void check_own(const JobSpec& spec, Problems& problems);

// Adds a problem if the workers of a model of kind Own, which run the user's program, have no image or no command.
void check_own_worker(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
