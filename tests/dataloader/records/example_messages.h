// The wire bytes of tf.Examples piece by piece, also of those that no writer makes, and what a parser says of them.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataloader/records/example_parser.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {

using Message = std::vector<std::byte>;
using Strings = LargeVector<std::string_view>;
using Floats = LargeVector<float>;
using Ints = LargeVector<std::int64_t>;
using Splits = std::vector<std::size_t>;

// A message with one delimited field.
inline Message field(std::uint32_t id, const Message& content) {
  Message made;
  wire::append_delimited(made, id, content);
  return made;
}

inline Message text(std::string_view content) {
  return {wire::bytes_of(content).begin(), wire::bytes_of(content).end()};
}

inline Message operator+(Message left, const Message& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline Message varint(std::uint64_t number) {
  Message made;
  wire::append_varint(made, number);
  return made;
}

inline Message entry(std::string_view name, const Message& value) {
  return field(1, field(1, text(name)) + field(2, value));
}
inline Message example(const Message& entries) {
  return field(1, entries);
}

// Features, packed and with a tag a value.
inline Message ints_feature(const Ints& values) {
  Message numbers;
  for (const std::int64_t value : values) wire::append_varint(numbers, static_cast<std::uint64_t>(value));
  return field(3, values.empty() ? Message() : field(1, numbers));
}
inline Message strings_feature(const Strings& values) {
  Message list;
  for (const std::string_view value : values) list = list + field(1, text(value));
  return field(1, list);
}
inline Message tagged_int(std::int64_t value) {
  return varint(8) + varint(static_cast<std::uint64_t>(value));
}
inline Message tagged_float(float value) {
  Message made;
  wire::append_tag(made, 1, wire::Type::fixed32);
  append_number(made, std::bit_cast<std::uint32_t>(value));
  return made;
}

// One feature of all records, padded if so asked; or the first problem and where it is.
inline std::variant<Column, std::string> parsed(const std::vector<Message>& records, const Feature& asked) {
  ExampleParser parser({asked});
  std::vector<Column> columns = parser.columns(records.size());
  for (std::size_t row = 0; row < records.size(); ++row) {
    if (const auto mismatch = parser.parse(records[row], row, columns))
      return mismatch->message + " at " + std::to_string(mismatch->offset);
  }
  parser.pad(columns);
  return columns[0];
}

inline Column column(const std::vector<Message>& records, const Feature& asked) {
  return std::get<Column>(parsed(records, asked));
}
inline std::string problem(const Message& record, const Feature& asked) {
  return std::get<std::string>(parsed({record}, asked));
}

}  // namespace carrack::data
