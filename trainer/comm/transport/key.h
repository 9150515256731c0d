// The secret of a job, by which its members know each other. It is in memory that no core dump contains, and is
// overwritten before that memory is freed.
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

  // Throws Error unless the file has that many bytes. They are the key as they are. The message has none of them.
  static std::shared_ptr<const Key> from_file(const std::string& path);
  explicit Key(std::string_view bytes);
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key();

  std::span<const std::uint8_t> bytes() const { return {memory_, size_}; }

 private:
  Key();  // without bytes

  std::uint8_t* memory_;
  std::size_t size_ = 0;
};

}  // namespace carrack::train
