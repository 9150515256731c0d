// Serializes tf.Examples and tf.SequenceExamples, for example to convert CSV to TFRecord files. Numbers are packed, and
// features have the order of the arguments. docs/formats/example.md. Carrack itself calls only example_of(). Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace carrack::data {

// The values of one feature: strings, floats or integers, which are not copied. The alternatives are in the order of
// Dtype.
using ValuesView =
    std::variant<std::span<const std::string_view>, std::span<const float>, std::span<const std::int64_t>>;

// One feature. Without values it is written as an empty list of its type.
struct NamedValues {
  std::string_view name;
  ValuesView values;
};

// One feature list.
struct NamedSteps {
  std::string_view name;
  std::span<const ValuesView> steps;  // the values of each step
};

// Return the serialized message, which RecordWriter::write() accepts as one record. They do not check that names
// differ.
std::vector<std::byte> example_of(std::span<const NamedValues> features);
std::vector<std::byte> sequence_example_of(std::span<const NamedValues> context, std::span<const NamedSteps> lists);

}  // namespace carrack::data
