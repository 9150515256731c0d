// `carrack step`: one step of a job on this machine, value by value. It starts the trainer, which computes it.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// Takes the arguments after `step`. The trainer takes this process over, so it returns only if there is nothing to
// start, with the exit code. An error is printed, not thrown.
int step(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
