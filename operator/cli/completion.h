// `carrack completion bash|zsh`: prints a script by which this shell completes the commands and options of `carrack`
// when the user presses Tab.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `completion`. Returns the exit code: 0; 2 if the arguments are wrong; 1 if standard output
// cannot be written. An error is printed, not thrown.
int completion(std::span<char* const> arguments);

}  // namespace carrack::control
