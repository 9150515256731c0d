#include "trainer/comm/transport/key.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dataloader/check.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

// One byte more than the longest key, so that from_file() notices a file that is too long.
constexpr std::size_t memory_bytes = Key::bytes_max + 1;

std::string failure(const std::string& path) {
  return "the job's key: cannot read " + path + ": " + std::strerror(errno);
}

}  // namespace

Key::Key() {
  void* const mapped = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw Error(Blame::platform, std::string("no memory for a key: ") + std::strerror(errno));
  CHECK_EQ(madvise(mapped, memory_bytes, MADV_DONTDUMP), 0);
  memory_ = static_cast<std::uint8_t*>(mapped);
}

Key::Key(std::string_view bytes) : Key() {
  CHECK_GE(bytes.size(), bytes_min);
  CHECK_LE(bytes.size(), bytes_max);
  std::ranges::copy(bytes, memory_);
  size_ = bytes.size();
}

Key::~Key() {
  OPENSSL_cleanse(memory_, memory_bytes);
  munmap(memory_, memory_bytes);
}

std::shared_ptr<const Key> Key::from_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(Blame::platform, failure(path));
  const std::shared_ptr<Key> key(new Key);
  ssize_t size = 0;
  do {
    size = read(file, key->memory_ + key->size_, memory_bytes - key->size_);
    if (size > 0) key->size_ += static_cast<std::size_t>(size);
  } while (size > 0);
  const std::string why = size < 0 ? failure(path) : "";
  close(file);
  if (!why.empty()) throw Error(Blame::platform, why);
  if (key->size_ < bytes_min || key->size_ > bytes_max) {
    throw Error(Blame::platform, "the job's key: " + path + " has " + (key->size_ > bytes_max ? "more than " : "") +
                                     std::to_string(std::min(key->size_, bytes_max)) + " bytes, not " +
                                     std::to_string(bytes_min) + " to " + std::to_string(bytes_max));
  }
  return key;
}

}  // namespace carrack::train
