#include "dataloader/records/wire.h"

#include "dataloader/records/little_endian.h"

namespace carrack::data::wire {
namespace {

template <typename Number>
std::optional<std::uint64_t> take_fixed(View& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  const auto number = number_at<Number>(bytes.data());
  bytes = bytes.subspan(sizeof(Number));
  return number;
}

std::optional<View> take_delimited(View& bytes, Overflow overflow) {
  const std::optional<std::uint64_t> length = take_varint(bytes, overflow);
  if (!length || *length > bytes.size()) return std::nullopt;
  const View taken = bytes.first(*length);
  bytes = bytes.subspan(*length);
  return taken;
}

std::optional<Field> take_field(View& bytes, Overflow overflow) {
  const std::optional<std::uint64_t> tag = take_varint(bytes, overflow);
  if (!tag || *tag > UINT32_MAX || *tag < 8) return std::nullopt;  // 0 is not a valid field number.
  Field field{static_cast<std::uint32_t>(*tag >> 3), static_cast<Type>(*tag & 7), 0, {}};
  std::optional<std::uint64_t> number;
  switch (field.type) {
    case Type::varint:
      number = take_varint(bytes, overflow);
      break;
    case Type::fixed64:
      number = take_fixed<std::uint64_t>(bytes);
      break;
    case Type::fixed32:
      number = take_fixed<std::uint32_t>(bytes);
      break;
    case Type::delimited: {
      const std::optional<View> delimited = take_delimited(bytes, overflow);
      if (!delimited) return std::nullopt;
      field.bytes = *delimited;
      return field;
    }
  }
  if (!number) return std::nullopt;
  field.number = *number;
  return field;
}

}  // namespace

std::optional<std::uint64_t> take_varint(View& bytes, Overflow overflow) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[i]);
    if (i == 9 && byte > 1 && overflow == Overflow::refuse) return std::nullopt;
    number |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes = bytes.subspan(i + 1);
      return number;
    }
  }
  return std::nullopt;
}

std::optional<Field> Reader::next_of_any_kind() {
  if (left_.empty() || malformed_) return std::nullopt;
  View rest = left_;
  std::optional<Field> field = take_field(rest, overflow_);
  if (field)
    left_ = rest;
  else
    malformed_ = true;
  return field;
}

void append_varint(std::vector<std::byte>& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<std::byte>(number | 0x80));
  to.push_back(static_cast<std::byte>(number));
}

void append_tag(std::vector<std::byte>& to, std::uint32_t id, Type type) {
  append_varint(to, std::uint64_t{id} << 3 | static_cast<std::uint64_t>(type));
}

void append_header(std::vector<std::byte>& to, std::uint32_t id, std::size_t content) {
  append_tag(to, id, Type::delimited);
  append_varint(to, content);
}

void append_delimited(std::vector<std::byte>& to, std::uint32_t id, View bytes) {
  append_header(to, id, bytes.size());
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace carrack::data::wire
