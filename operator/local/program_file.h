// Checks whether a file can be executed, to report a mistake before anything is started.
#pragma once

#include <string>

namespace carrack::control {

// Returns why the file cannot be executed, as the rest of a sentence that begins with its name: "is a folder, not a
// program". Empty if no fault was found; the kernel may still refuse such a file. PATH is not searched.
std::string fault_of_program(const std::string& path);

}  // namespace carrack::control
