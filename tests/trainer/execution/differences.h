// Gradients against central differences. Where a loss is at most quadratic in the parameters they are exact but for
// rounding, whatever their width; else a narrow one is used.
#pragma once

#include <cmath>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/execution/executor.h"
#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t rows = 7;

inline std::vector<float> unit_numbers(std::size_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(size, seed);
  for (float& value : values) value = value / 16384;
  return values;
}

inline Layout layout_of(const Graph& graph) {
  std::vector<NamedShape> tensors;
  for (const ValueId id : graph.parameters())
    tensors.push_back({graph.value(id).name, with_rows(graph.value(id).shape, 0)});
  return Layout(tensors);
}

// The sum of `value` times itself, over all its axes.
inline ValueId sum_of_squares(Graph& graph, ValueId value) {
  const std::size_t rank = graph.value(value).shape.size();
  const ValueId square = graph.mul("square", value, value);
  return rank == 0 ? square : graph.reduce_sum("loss", square, 0, rank);
}

inline constexpr float quadratic = 0.5f, curved = 0.01f;  // half the width of a difference

// Float inputs are drawn; int64 inputs are 0, 1, 2, 0, 1, ...
inline void expect_gradients_as_by_differences(const Graph& graph, ValueId loss, float half_width = quadratic) {
  const Layout layout = layout_of(graph);
  Executor executor(gradients(graph, loss), layout, rows);
  std::vector<std::vector<float>> floats;
  std::vector<std::int64_t> indices(rows);
  for (std::int64_t i = 0; i < rows; ++i) indices[static_cast<std::size_t>(i)] = i % 3;
  for (const ValueId input : graph.inputs()) {
    const std::int64_t count = element_count(with_rows(graph.value(input).shape, rows));
    floats.push_back(unit_numbers(static_cast<std::size_t>(count), static_cast<std::uint32_t>(input + 1)));
  }
  std::vector<FeatureValues> inputs;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const bool is_float = graph.value(graph.inputs()[i]).type == Type::float32;
    inputs.push_back(is_float ? FeatureValues(std::span<const float>(floats[i]))
                              : FeatureValues(std::span<const std::int64_t>(indices)));
  }
  std::vector<float> parameters = unit_numbers(static_cast<std::size_t>(layout.size()), 99);
  std::vector<float> gradient(parameters.size(), NAN), unused(parameters.size());
  executor.run(parameters, inputs, rows, gradient);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float at = parameters[i];
    parameters[i] = at + half_width;
    const double above = executor.run(parameters, inputs, rows, unused);
    parameters[i] = at - half_width;
    const double below = executor.run(parameters, inputs, rows, unused);
    parameters[i] = at;
    const double slope = (above - below) / (2 * half_width);
    const double tolerance = half_width == quadratic ? 1e-4 : 1e-3;
    ASSERT_NEAR(gradient[i], slope, tolerance * (1 + std::fabs(above) + std::fabs(below))) << "element " << i;
  }
}

}  // namespace carrack::train
