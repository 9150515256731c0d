// `carrack export CHECKPOINT --to FOLDER`: writes the model of a checkpoint as a SavedModel for TensorFlow and
// TensorFlow Serving. The program carrack-trainer does the work.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `export`. If they are valid, carrack-trainer replaces this process (exec), and this does
// not return. Otherwise, or if it cannot be started, prints why and returns the exit code: 0 after --help, 2 for a
// mistake of the user, 1 for any other error.
int export_model(std::span<char* const> arguments);

}  // namespace carrack::control
