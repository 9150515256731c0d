// Reads and writes small text files, such as manifests.
#pragma once

#include <string>

namespace carrack::control {

// Returns the text of a file. A longer one is cut to max_document_bytes + 1 bytes, which every decoder refuses. Throws
// Error with Blame::user if the file cannot be read.
std::string read_text_file(const std::string& path);

// Like read_text_file(), but reads the standard input if the path is "-".
std::string read_text_file_or_input(const std::string& path);

// Creates a file with mode 0644, or overwrites it in place, so a failure may leave a part of the text. Throws Error
// with Blame::platform if the file cannot be written, or if `path` is a symbolic link.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace carrack::control
