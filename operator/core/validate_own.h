// The part of validate.h about the user's own program.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// For strategy Own; spec.own must be set.
void check_own(const JobSpec& spec, Problems& problems);

// For a model of kind Own, whose workers run the user's program: they need an image and a command.
void check_own_worker(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
