#include "trainer/checkpoint/slice_key.h"

#include <algorithm>
#include <bit>

namespace carrack::checkpoint {
namespace {

// Appends the text and an end mark, 00 01. Bytes 00 and ff are escaped, so that keys have the order of the texts.
void put_ordered_string(std::string& out, std::string_view text) {
  for (const char byte : text) {
    out.push_back(byte);
    if (byte == '\x00') out.push_back('\xff');
    if (byte == '\xff') out.push_back('\x00');
  }
  out += std::string_view("\x00\x01", 2);
}

// Appends the number of bytes of the value, then these bytes, the highest first, so that keys have the order of the
// values.
void put_ordered_unsigned(std::string& out, std::uint64_t value) {
  const int size = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  out.push_back(static_cast<char>(size));
  for (int at = size - 1; at >= 0; --at) out.push_back(static_cast<char>(value >> (8 * at)));
}

// Appends n bytes, the highest first: n one bits, a zero bit, then the number in 7n - 1 bits. The only negative number
// in slices is -1, which means a whole dimension; its code is 7f.
void put_ordered_signed(std::string& out, std::int64_t value) {
  if (value < 0) {
    out.push_back('\x7f');
    return;
  }
  const auto bits = static_cast<std::uint64_t>(value);
  const int size = static_cast<int>(std::bit_width(bits)) / 7 + 1;
  for (int i = 0; i < size; ++i) {
    const int ones = std::clamp(size - 8 * i, 0, 8);
    const int shift = 8 * (size - 1 - i);
    const std::uint64_t byte = shift < 64 ? bits >> shift : 0;
    out.push_back(static_cast<char>(byte | 0xff00u >> ones));
  }
}

}  // namespace

std::string slice_key(std::string_view name, std::span<const Extent> extents) {
  std::string key;
  put_ordered_unsigned(key, 0);
  put_ordered_string(key, name);
  put_ordered_unsigned(key, extents.size());
  for (const Extent extent : extents) {
    put_ordered_signed(key, extent.start);
    put_ordered_signed(key, extent.length);
  }
  return key;
}

}  // namespace carrack::checkpoint
