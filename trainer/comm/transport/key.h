// Key: the secret that all members of a job share, and by which they recognize each other (protocol/opening.h). A
// process reads it from a file at its start, unless the strategy is Single. Its memory is excluded from core dumps, and
// overwritten before it is freed. Both ways to make a Key throw Error with Blame::platform if there is no memory for
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace carrack::train {

class Key {
 public:
  static constexpr std::size_t bytes_min = 32;
  static constexpr std::size_t bytes_max = 1024;

  // Reads the key from a file, whose bytes are the key without any encoding. Throws Error with Blame::platform if it
  // cannot be read, or has fewer than bytes_min or more than bytes_max bytes. Error messages do not contain bytes of
  // the key.
  static std::shared_ptr<const Key> from_file(const std::string& path);
  // For tests. `bytes` must have bytes_min to bytes_max bytes.
  explicit Key(std::string_view bytes);
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key();

  // The bytes are valid as long as this Key.
  std::span<const std::uint8_t> bytes() const { return {memory_, size_}; }

 private:
  Key();  // an empty key

  std::uint8_t* memory_;
  std::size_t size_ = 0;
};

}  // namespace carrack::train
