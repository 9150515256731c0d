// A check that only carrack-operator makes, in addition to those of validate.h: a local path in a TrainingJob, such as
// a data file or the checkpoint folder, must lie on a volume that the pod templates mount. Otherwise each pod would see
// only its own empty file system there. Pure.
#pragma once

#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Returns a problem for each path or file:// URL of the spec that is on no volumeMount of a role that uses it; empty if
// there is none. Other URLs, such as gs://, are no problem. `carrack validate` and
// `carrack run` do not call it, because they see the files of this machine.
std::vector<Problem> paths_on_no_volume(const JobSpec& spec);

}  // namespace carrack::control
