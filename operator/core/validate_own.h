// The part of validate.h that checks what a spec says about the user's own program.
#pragma once

#include "operator/core/job.h"
#include "operator/core/problems.h"

namespace carrack::control {

// Adds the problems of a job whose processes all run the user's program (strategy Own); spec.own must be set.
void check_own(const JobSpec& spec, Problems& problems);

// Adds a problem if the pod template of workers has no image or no command. For a job of the trainer whose model is of
// kind Own: only its workers run the user's program.
void check_own_worker(const JobSpec& spec, Problems& problems);

}  // namespace carrack::control
