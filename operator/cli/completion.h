// `carrack completion`: prints a script by which a shell completes the commands and options of `carrack`.
#pragma once

#include <span>

namespace carrack::control {

// Takes the arguments after `completion`. Returns the exit code. An error is printed, not thrown.
int completion(std::span<char* const> arguments);

}  // namespace carrack::control
