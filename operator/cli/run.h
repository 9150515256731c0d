// `carrack run`: a job on this machine, from manifest to checkpoint, with the same decisions as on a cluster.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// The arguments after `run`. Returns the exit code: 0 the job has succeeded, 1 it has failed, 2 it could not be begun,
// 130 it was suspended, or ended by a second interrupt, and can be gone on with.
int run(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
