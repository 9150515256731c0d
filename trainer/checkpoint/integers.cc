#include "trainer/checkpoint/integers.h"

namespace carrack::checkpoint {

void Cursor::fail() {
  failed_ = true;
  left_ = {};
}

std::uint64_t Cursor::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;  // The number has more than 64 bits.
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::uint64_t Cursor::fixed(std::size_t size) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char byte : take(size)) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
    shift += 8;
  }
  return value;
}

std::uint32_t Cursor::fixed32() {
  return static_cast<std::uint32_t>(fixed(4));
}

std::uint64_t Cursor::fixed64() {
  return fixed(8);
}

std::string_view Cursor::take(std::uint64_t size) {
  if (size > left_.size()) {
    fail();
    return {};
  }
  const std::string_view taken = left_.substr(0, size);
  left_.remove_prefix(size);
  return taken;
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void put_fixed32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

void put_fixed64(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

}  // namespace carrack::checkpoint
