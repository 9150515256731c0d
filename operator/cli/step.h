// `carrack step`: starts the trainer, which computes one step of a job on this machine, and prints a summary of each
// tensor and layer.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// Takes the arguments after `step`. The trainer replaces this process, so it returns only if no trainer is started,
// with the exit code. An error is printed, not thrown.
int step(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
