// `carrack predict CHECKPOINT FILES...`: prints what the model of a checkpoint computes for each record of TFRecord
// files. The program carrack-trainer does the work.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `predict`. If they are valid, carrack-trainer replaces this process (exec), and this does
// not return. Otherwise, or if it cannot be started, prints why and returns the exit code: 0 after --help, 2 for a
// mistake of the user, 1 for any other error.
int predict(std::span<char* const> arguments);

}  // namespace carrack::control
