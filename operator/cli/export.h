// `carrack export`: writes the model of a checkpoint for TensorFlow. It starts the trainer, which does.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `export`. The trainer takes this process over, so it returns only if there is nothing to
// start, with the exit code. An error is printed, not thrown.
int export_model(std::span<char* const> arguments);

}  // namespace carrack::control
