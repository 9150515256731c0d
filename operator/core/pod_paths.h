// Checks the local paths in a spec for a cluster: each must lie on a volume that the templates of the roles mount.
// Pure.
#pragma once

#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Returns a problem for each path or file:// URL that is on no volume of a role that uses it: its process would look
// for it in its own pod. Do not use it for `carrack run`, whose processes see the files of this machine.
std::vector<Problem> paths_on_no_volume(const JobSpec& spec);

}  // namespace carrack::control
