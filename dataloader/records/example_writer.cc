#include "dataloader/records/example_writer.h"

#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Buffer = std::vector<std::byte>;
using wire::size_of_delimited;

// size_of_list() returns the size in bytes of an encoded BytesList, FloatList or Int64List. Sizes are computed before
// anything is written, because a protobuf message comes after its size. Each string is a field. All numbers are one
// packed field, which is left out if there are no numbers.
std::size_t size_of_list(std::span<const std::string_view> values) {
  std::size_t size = 0;
  for (const std::string_view value : values) size += size_of_delimited(value.size());
  return size;
}
std::size_t size_of_list(std::span<const float> values) {
  return values.empty() ? 0 : size_of_delimited(values.size_bytes());
}
std::size_t size_of_varints(std::span<const std::int64_t> values) {
  std::size_t size = 0;
  for (const std::int64_t value : values) size += wire::size_of_varint(static_cast<std::uint64_t>(value));
  return size;
}
std::size_t size_of_list(std::span<const std::int64_t> values) {
  return values.empty() ? 0 : size_of_delimited(size_of_varints(values));
}
std::size_t size_of_list(const ValuesView& values) {
  return std::visit([](const auto& kind) { return size_of_list(kind); }, values);
}

void append_list(Buffer& to, std::span<const std::string_view> values) {
  for (const std::string_view value : values) wire::append_delimited(to, 1, wire::bytes_of(value));
}
void append_list(Buffer& to, std::span<const float> values) {
  if (!values.empty()) wire::append_delimited(to, 1, std::as_bytes(values));
}
void append_list(Buffer& to, std::span<const std::int64_t> values) {
  if (values.empty()) return;
  wire::append_header(to, 1, size_of_varints(values));
  for (const std::int64_t value : values) wire::append_varint(to, static_cast<std::uint64_t>(value));
}

std::size_t size_of_feature(const ValuesView& values) {
  return size_of_delimited(size_of_list(values));
}
void append_feature(Buffer& to, const ValuesView& values) {
  // The alternatives of the variant are in the order of the lists in tf.Feature, whose field numbers begin with 1.
  wire::append_header(to, static_cast<std::uint32_t>(values.index() + 1), size_of_list(values));
  std::visit([&](const auto& kind) { append_list(to, kind); }, values);
}

// Each returns the size in bytes of the value of a map entry: a Feature or a FeatureList.
std::size_t size_of_value(const NamedValues& feature) {
  return size_of_feature(feature.values);
}
std::size_t size_of_value(const NamedSteps& list) {
  std::size_t size = 0;
  for (const ValuesView& step : list.steps) size += size_of_delimited(size_of_feature(step));
  return size;
}
void append_value(Buffer& to, const NamedValues& feature) {
  append_feature(to, feature.values);
}
void append_value(Buffer& to, const NamedSteps& list) {
  for (const ValuesView& step : list.steps) {
    wire::append_header(to, 1, size_of_feature(step));
    append_feature(to, step);
  }
}

template <typename Named>
std::size_t size_of_entry(const Named& named) {
  return size_of_delimited(named.name.size()) + size_of_delimited(size_of_value(named));
}

// Appends a map, Features or FeatureLists, as the field with number `id`.
template <typename Named>
void append_map(Buffer& to, std::uint32_t id, std::span<const Named> all) {
  std::size_t size = 0;
  for (const Named& named : all) size += size_of_delimited(size_of_entry(named));
  to.reserve(to.size() + size_of_delimited(size));
  wire::append_header(to, id, size);
  for (const Named& named : all) {
    wire::append_header(to, 1, size_of_entry(named));
    wire::append_delimited(to, 1, wire::bytes_of(named.name));
    wire::append_header(to, 2, size_of_value(named));
    append_value(to, named);
  }
}

}  // namespace

std::vector<std::byte> example_of(std::span<const NamedValues> features) {
  Buffer example;
  append_map(example, 1, features);
  return example;
}

std::vector<std::byte> sequence_example_of(std::span<const NamedValues> context, std::span<const NamedSteps> lists) {
  Buffer example;
  append_map(example, 1, context);
  append_map(example, 2, lists);
  return example;
}

}  // namespace carrack::data
