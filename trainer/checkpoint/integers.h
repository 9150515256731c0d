// Reads and writes the integers of a sorted string table: varints and little-endian numbers in strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::checkpoint {

// Reads from `bytes`, which must outlive it and the views that it returns. Once a read fails, all further reads return
// zeros and empty views, so callers check failed() once, at the end. Reading beyond the end, or a varint of more than
// ten bytes or 64 bits, fails.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  // Each of these takes a value from the front of the bytes.
  std::uint64_t varint();
  std::uint32_t fixed32();
  std::uint64_t fixed64();
  std::string_view take(std::uint64_t size);

  // True if no bytes are left, and also after a failure.
  bool at_end() const { return left_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::uint64_t fixed(std::size_t size);
  void fail();

  std::string_view left_;
  bool failed_ = false;
};

// These append a number to `out`.
void put_varint(std::string& out, std::uint64_t value);
void put_fixed32(std::string& out, std::uint32_t value);
void put_fixed64(std::string& out, std::uint64_t value);

}  // namespace carrack::checkpoint
