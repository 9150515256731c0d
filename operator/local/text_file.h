// Reads and writes small text files of the `carrack` commands, such as manifests and job.json.
#pragma once

#include <string>

namespace carrack::control {

// Returns the text of a file. Of a file with more than max_document_bytes (codec/node.h) it returns only one byte more
// than that, which every decoder of manifests refuses as too long. Throws Error with Blame::user if the file cannot be
// read or does not exist.
std::string read_text_file(const std::string& path);

// Like read_text_file(), but reads the standard input if the path is "-".
std::string read_text_file_or_input(const std::string& path);

// Creates a file with mode 0644, or overwrites it in place. This is not atomic: a failure may leave a part of the text.
// The folder must exist. Throws Error with Blame::platform if the file cannot be written, or if `path` is a symbolic
// link.
void write_text_file(const std::string& path, const std::string& text);

// Like write_text_file(), but never overwrites: returns false if `path` exists, even as a symbolic link to nothing.
// Returns true if the file was created.
[[nodiscard]] bool write_new_text_file(const std::string& path, const std::string& text);

}  // namespace carrack::control
