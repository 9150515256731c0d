#include "operator/local/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "operator/codec/node.h"
#include "operator/error.h"

namespace carrack::control {

std::string text_of_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text(max_document_bytes + 1, '\0');  // One more, so that what reads it sees that it is too long.
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

}  // namespace carrack::control
