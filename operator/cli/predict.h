// `carrack predict`: starts the trainer, which prints what the model of a checkpoint computes for the records of files.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `predict`. The trainer replaces this process, so it returns only if no trainer is started,
// with the exit code. An error is printed, not thrown.
int predict(std::span<char* const> arguments);

}  // namespace carrack::control
