// `carrack export`: starts the trainer, which writes the model of a checkpoint for TensorFlow.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `export`. The trainer replaces this process, so it returns only if no trainer is started,
// with the exit code. An error is printed, not thrown.
int export_model(std::span<char* const> arguments);

}  // namespace carrack::control
