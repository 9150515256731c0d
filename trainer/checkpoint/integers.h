// Reads and writes integers in strings, as a sorted string table (table.h) and the beginning of a safetensors file have
// them: varints as in protocol buffers, and little-endian numbers of 4 and 8 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::checkpoint {

// Reads values one after the other from the front of `bytes`, which must outlive it and the views that it returns. A
// read beyond the end fails, and so does a varint of more than ten bytes or 64 bits. Nothing throws: once a read has
// failed, it and all further reads return zeros and empty views, so callers check failed() once, at the end.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  // Each of these returns the next value, and moves on to what follows it. take() returns the next `size` bytes.
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
