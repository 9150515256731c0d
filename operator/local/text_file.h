// Reads and writes small files as a whole.
#pragma once

#include <string>

namespace carrack::control {

// Returns the text of a file, or its beginning if it is longer than any manifest may be. Throws Error (user) if it
// cannot be read.
std::string read_text_file(const std::string& path);

// The same of the standard input, if the path is "-".
std::string read_text_file_or_input(const std::string& path);

// Creates or replaces a file; does not follow a symbolic link at `path`. Throws Error (platform) if it cannot be
// written.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace carrack::control
