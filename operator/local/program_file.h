// Checks before a file is executed whether it can be.
#pragma once

#include <string>

namespace carrack::control {

// Returns why the file cannot be executed, in words that follow its name in a sentence; empty if no fault was found.
// The kernel may still refuse such a file.
std::string fault_of_program(const std::string& path);

}  // namespace carrack::control
