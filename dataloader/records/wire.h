// Reads and writes the protobuf wire format without generated code, for tf.Example, TensorBoard events and the few
// other messages that Carrack uses. Reading is safe for any bytes, allocates no memory, and returns views into the
// message.
//   for (wire::Reader fields(message); const auto field = fields.next();) { if (field->id == 1) use(field->bytes); }
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

struct Field {
  std::uint32_t id = 0;  // the field number
  Type type = Type::varint;
  std::uint64_t number = 0;  // the value of a varint or fixed field
  View bytes;                // the value of a delimited field
};

// What to do with a varint of ten bytes that has more than 64 bits. Protobuf and TensorFlow truncate it to the lower
// 64 bits.
enum class Overflow : std::uint8_t { truncate, refuse };

// Reads a varint at the front of `bytes`, moves `bytes` after it and returns its value. Returns nullopt, and does not
// change `bytes`, if no complete varint of at most ten bytes comes first, or `overflow` refuses it.
std::optional<std::uint64_t> take_varint(View& bytes, Overflow overflow = Overflow::truncate);

// Iterates over the fields of one message, in their order in the bytes. Groups count as malformed, and so do varints
// that `overflow` refuses.
class Reader {
 public:
  explicit Reader(View message, Overflow overflow = Overflow::truncate) : left_(message), overflow_(overflow) {}

  // Returns the next field; nullopt at the end and at a malformed field. Call malformed() to distinguish these. After a
  // malformed field left() begins with that field.
  std::optional<Field> next() {
    // The fast path for nearly all fields of our messages: delimited, shorter than 128 bytes, with an id below 16.
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
  // The bytes of the message that next() has not returned yet.
  View left() const { return left_; }

 private:
  std::optional<Field> next_of_any_kind();

  View left_;
  Overflow overflow_;
  bool malformed_ = false;
};

// Returns the number of bytes that a varint takes.
constexpr std::size_t size_of_varint(std::uint64_t number) {
  std::size_t size = 1;
  for (; number >= 0x80; number >>= 7) ++size;
  return size;
}
// Returns the number of bytes that a delimited field takes if its value has `content` bytes. For ids below 16.
constexpr std::size_t size_of_delimited(std::size_t content) {
  return 1 + size_of_varint(content) + content;
}

void append_varint(std::vector<std::byte>& to, std::uint64_t number);
void append_tag(std::vector<std::byte>& to, std::uint32_t id, Type type);
// Appends the tag and the length of a delimited field. The caller then appends its `content` bytes.
void append_header(std::vector<std::byte>& to, std::uint32_t id, std::size_t content);
void append_delimited(std::vector<std::byte>& to, std::uint32_t id, View bytes);

// Views of the same bytes as another type; nothing is copied.
inline View bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string_view text_of(View bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace carrack::data::wire
