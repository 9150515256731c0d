#include "operator/local/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "operator/codec/node.h"
#include "operator/error.h"

namespace carrack::control {
namespace {

// Reads the descriptor `file` and closes it. If `file` is negative, errno must say why it could not be opened. `path`
// is its name in messages.
std::string read_and_close(int file, const std::string& path) {
  std::string text(max_document_bytes + 1, '\0');  // The extra byte shows the decoder that a file is too long.
  std::size_t size = 0;
  ssize_t got = file < 0 ? -1 : 1;
  while (got > 0 && size < text.size()) {
    got = read(file, text.data() + size, text.size() - size);
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  const int failure = errno;
  if (file >= 0) close(file);
  if (got < 0) throw Error(Blame::user, path + ": cannot be read: " + std::strerror(failure));
  text.resize(size);
  return text;
}

// Writes the text to the descriptor `file` and closes it. If `file` is negative, errno must say why it could not be
// opened. `path` is its name in messages.
void write_and_close(int file, const std::string& path, const std::string& text) {
  bool is_written = file >= 0;
  for (std::size_t written = 0; is_written && written < text.size();) {
    const ssize_t size = write(file, text.data() + written, text.size() - written);
    is_written = size > 0;
    if (is_written) written += static_cast<std::size_t>(size);
  }
  const int failure = errno;
  if (file >= 0) close(file);
  if (!is_written) throw Error(Blame::platform, path + ": cannot be written: " + std::strerror(failure));
}

}  // namespace

std::string read_text_file(const std::string& path) {
  return read_and_close(open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
}

std::string read_text_file_or_input(const std::string& path) {
  return path == "-" ? read_and_close(dup(STDIN_FILENO), "the standard input") : read_text_file(path);
}

void write_text_file(const std::string& path, const std::string& text) {
  write_and_close(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644), path, text);
}

bool write_new_text_file(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 && errno == EEXIST) return false;
  write_and_close(file, path, text);
  return true;
}

}  // namespace carrack::control
