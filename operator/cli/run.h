// `carrack run`: runs a job on this machine, with the same decisions as on Kubernetes.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// Takes the arguments after `run`. Returns the exit code: 0 if the job has succeeded, 1 if it has failed, 2 if it could
// not be started, 130 if an interrupt has suspended or ended it, so that the same command goes on with it.
int run(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
