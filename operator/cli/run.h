// `carrack run`: runs a job on this machine, with the same decisions as on Kubernetes.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// Takes the arguments after `run`. Returns the exit code, as docs/reference/trainingjob.md lists them; an error is
// printed, not thrown. Call it once in a process, as it counts interrupts from then on.
int run(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
