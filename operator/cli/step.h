// `carrack step MANIFEST`: computes the first step of a job on this machine, from its initial parameters and first
// records, and prints a summary of each layer's output, gradient and update, to find errors in a model. The program
// carrack-trainer does the work.
#pragma once

#include <span>

#include "operator/core/validate.h"

namespace carrack::control {

// Takes the arguments after `step`. If they and the manifest are valid, carrack-trainer replaces this process (exec),
// and this does not return. Otherwise, or if it cannot be started, prints why and returns the exit code: 0 after
// --help, 2 for a mistake of the user, 1 for any other error.
int step(std::span<char* const> arguments, const ModelCheck& check_model);

}  // namespace carrack::control
