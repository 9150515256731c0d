// A small file as text.
#pragma once

#include <string>

namespace carrack::control {

// Throws Error, the user's, where it cannot be read; of a file that is longer than any manifest, its beginning.
std::string text_of_file(const std::string& path);

}  // namespace carrack::control
