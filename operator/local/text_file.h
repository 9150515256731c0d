// Reads and writes small files as a whole.
#pragma once

#include <string>

namespace carrack::control {

// Returns the text of a file, or its first max_document_bytes + 1 bytes, which every decoder refuses as too long.
// Throws Error with Blame::user if the file cannot be read.
std::string read_text_file(const std::string& path);

// Reads the standard input if the path is "-", else does read_text_file().
std::string read_text_file_or_input(const std::string& path);

// Creates a file with mode 0644, or overwrites it in place, so a failure may leave a part of the text. Throws Error
// with Blame::platform if the file cannot be written, also if `path` is a symbolic link.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace carrack::control
