// Local paths of a job whose processes are pods: each must lie on a volume that the templates of the roles mount.
#pragma once

#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"

namespace carrack::control {

// The problems of paths that a process would look for in its pod alone. Pure. Not of `carrack run`, whose processes see
// the files of this machine.
std::vector<Problem> paths_on_no_volume(const JobSpec& spec);

}  // namespace carrack::control
