// The protobuf wire format, read and written without a schema compiler: enough for the few messages of our formats.
// Any bytes give fields or a stop; nothing is read outside of them, nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace carrack::data::wire {

enum class Type : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

// `number` holds a varint or fixed value, `bytes` a delimited one; the other is empty.
struct Field {
  std::uint32_t id = 0;
  Type type = Type::varint;
  std::uint64_t number = 0;
  std::span<const std::byte> bytes;
};

// The varint at the front of `bytes`, which it takes off; nothing where there is none of at most ten bytes.
std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes);

// The fields of one message in turn. Groups, which no message of ours has, are taken for malformed.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> message) : left_(message) {}

  // Nothing at the end, and where the bytes are no message: then `malformed()`, and left() begins with the bad field.
  std::optional<Field> next();
  bool malformed() const { return malformed_; }
  std::span<const std::byte> left() const { return left_; }

 private:
  std::span<const std::byte> left_;
  bool malformed_ = false;
};

void append_varint(std::vector<std::byte>& to, std::uint64_t number);
void append_tag(std::vector<std::byte>& to, std::uint32_t id, Type type);
void append_delimited(std::vector<std::byte>& to, std::uint32_t id, std::span<const std::byte> bytes);

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace carrack::data::wire
