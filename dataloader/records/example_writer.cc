#include "dataloader/records/example.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Buffer = std::vector<std::byte>;

Buffer list_of(std::span<const std::string_view> values) {
  Buffer list;
  for (const std::string_view value : values) wire::append_delimited(list, 1, wire::bytes_of(value));
  return list;
}

// Numbers are packed, as proto3 has it; an empty list has no field at all.
Buffer packed(std::span<const std::byte> numbers) {
  Buffer list;
  if (!numbers.empty()) wire::append_delimited(list, 1, numbers);
  return list;
}

Buffer list_of(std::span<const float> values) {
  return packed(std::as_bytes(values));
}

Buffer list_of(std::span<const std::int64_t> values) {
  Buffer numbers;
  for (const std::int64_t value : values) wire::append_varint(numbers, static_cast<std::uint64_t>(value));
  return packed(numbers);
}

Buffer entry_of(const NamedValues& feature) {
  const Buffer list = std::visit([](const auto& values) { return list_of(values); }, feature.values);
  Buffer value;
  // The variant's kinds are in the order of tf.Feature's lists, which count from 1.
  wire::append_delimited(value, static_cast<std::uint32_t>(feature.values.index() + 1), list);
  Buffer entry;
  wire::append_delimited(entry, 1, wire::bytes_of(feature.name));
  wire::append_delimited(entry, 2, value);
  return entry;
}

}  // namespace

std::vector<std::byte> example_of(std::span<const NamedValues> features) {
  Buffer entries;
  for (const NamedValues& feature : features) wire::append_delimited(entries, 1, entry_of(feature));
  Buffer example;
  wire::append_delimited(example, 1, entries);
  return example;
}

}  // namespace carrack::data
