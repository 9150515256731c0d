// Checks whether a file is a program that can be executed, so that `carrack run` reports a mistake in a manifest before
// it starts any process.
#pragma once

#include <string>

namespace carrack::control {

// Returns why the file cannot be executed, as the rest of a sentence that begins with its name: "is a folder, not a
// program". This includes scripts whose interpreter is missing, and text files without a "#!" line. Empty if no fault
// was found; the kernel may still refuse the file. `path` is used as it is, PATH is not searched.
std::string fault_of_program(const std::string& path);

}  // namespace carrack::control
