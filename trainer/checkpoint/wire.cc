#include "trainer/checkpoint/wire.h"

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
    if (shift == 63 && byte > 1) break;
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

std::optional<Field> next_field(Cursor& message) {
  if (message.at_end()) return std::nullopt;
  const std::uint64_t tag = message.varint();
  Field field{.number = tag >> 3, .type = static_cast<WireType>(tag & 7), .value = 0, .bytes = {}};
  if (field.number == 0) message.take(UINT64_MAX);  // No field has it; more than there is, so it fails.
  switch (field.type) {
    case WireType::varint:
      field.value = message.varint();
      break;
    case WireType::fixed64:
      field.value = message.fixed64();
      break;
    case WireType::bytes:
      field.bytes = message.take(message.varint());
      break;
    case WireType::fixed32:
      field.value = message.fixed32();
      break;
    default:
      message.take(UINT64_MAX);  // Groups, and types that were never defined.
  }
  if (message.failed()) return std::nullopt;
  return field;
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

namespace {

void put_tag(std::string& out, std::uint32_t number, WireType type) {
  put_varint(out, number << 3 | static_cast<std::uint32_t>(type));
}

}  // namespace

void put_varint_field(std::string& out, std::uint32_t number, std::uint64_t value) {
  if (value == 0) return;
  put_tag(out, number, WireType::varint);
  put_varint(out, value);
}

void put_fixed32_field(std::string& out, std::uint32_t number, std::uint32_t value) {
  if (value == 0) return;
  put_tag(out, number, WireType::fixed32);
  put_fixed32(out, value);
}

void put_bytes_field(std::string& out, std::uint32_t number, std::string_view bytes) {
  put_tag(out, number, WireType::bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

}  // namespace carrack::checkpoint
