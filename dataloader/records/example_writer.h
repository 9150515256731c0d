// Writes tf.Examples and tf.SequenceExamples, docs/formats/example.md: each number packed, features in the order given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace carrack::data {

// In the order of Dtype.
using ValuesView =
    std::variant<std::span<const std::string_view>, std::span<const float>, std::span<const std::int64_t>>;

// One feature to write.
struct NamedValues {
  std::string_view name;
  ValuesView values;
};

// One feature list to write; the values of each step.
struct NamedSteps {
  std::string_view name;
  std::span<const ValuesView> steps;
};

std::vector<std::byte> example_of(std::span<const NamedValues> features);
std::vector<std::byte> sequence_example_of(std::span<const NamedValues> context, std::span<const NamedSteps> lists);

}  // namespace carrack::data
