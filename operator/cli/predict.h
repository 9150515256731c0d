// `carrack predict`: what the model of a checkpoint computes for the records of files. It starts the trainer, which
// does.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `predict`. The trainer takes this process over, so it returns only if there is nothing to
// start, with the exit code. An error is printed, not thrown.
int predict(std::span<char* const> arguments);

}  // namespace carrack::control
