// Serializes tf.Examples and tf.SequenceExamples, docs/formats/example.md: numbers packed, features in the given order.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace carrack::data {

// The alternatives are in the order of Dtype.
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

// Names that occur twice are not noticed.
std::vector<std::byte> example_of(std::span<const NamedValues> features);
std::vector<std::byte> sequence_example_of(std::span<const NamedValues> context, std::span<const NamedSteps> lists);

}  // namespace carrack::data
