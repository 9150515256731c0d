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

using View = std::span<const std::byte>;

enum class Type : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

// `number` holds a varint or fixed value, `bytes` a delimited one; the other is empty.
struct Field {
  std::uint32_t id = 0;
  Type type = Type::varint;
  std::uint64_t number = 0;
  View bytes;
};

// The varint at the front of `bytes`, which it takes off; nothing where there is none of at most ten bytes.
std::optional<std::uint64_t> take_varint(View& bytes);

// The fields of one message in turn. Groups, which no message of ours has, are taken for malformed.
class Reader {
 public:
  explicit Reader(View message) : left_(message) {}

  // Nothing at the end, and where the bytes are no message: then `malformed()`, and left() begins with the bad field.
  std::optional<Field> next() {
    // Inline for what nearly all fields of our messages are: short, delimited, of a number below 16.
    if (left_.size() >= 2) {
      const auto tag = std::to_integer<std::size_t>(left_[0]), length = std::to_integer<std::size_t>(left_[1]);
      if (tag >= 8 && tag < 0x80 && (tag & 7) == 2 && length < 0x80 && length <= left_.size() - 2) {
        const Field field{static_cast<std::uint32_t>(tag >> 3), Type::delimited, 0, left_.subspan(2, length)};
        left_ = left_.subspan(2 + length);
        return field;
      }
    }
    return next_of_any_kind();
  }
  bool malformed() const { return malformed_; }
  View left() const { return left_; }

 private:
  std::optional<Field> next_of_any_kind();

  View left_;
  bool malformed_ = false;
};

// The bytes that a varint takes.
constexpr std::size_t size_of_varint(std::uint64_t number) {
  std::size_t size = 1;
  for (; number >= 0x80; number >>= 7) ++size;
  return size;
}
// The bytes that a delimited field takes, of an id below 16.
constexpr std::size_t size_of_delimited(std::size_t content) {
  return 1 + size_of_varint(content) + content;
}

void append_varint(std::vector<std::byte>& to, std::uint64_t number);
void append_tag(std::vector<std::byte>& to, std::uint32_t id, Type type);
// What comes before a delimited field's content.
void append_header(std::vector<std::byte>& to, std::uint32_t id, std::size_t content);
void append_delimited(std::vector<std::byte>& to, std::uint32_t id, View bytes);

inline View bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string_view text_of(View bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace carrack::data::wire
