// Looks at a file before it is executed.
#pragma once

#include <string>

namespace carrack::control {

// Why this file cannot be executed, to follow its name in a sentence; empty if nothing speaks against it. Only the
// kernel knows for sure.
std::string fault_of_program(const std::string& path);

}  // namespace carrack::control
