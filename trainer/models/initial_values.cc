#include "trainer/models/initial_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trainer/error.h"
#include "trainer/kernels/random.h"

namespace carrack::train {
namespace {

// Returns the sum of the products a[i] b[i], added in an order that depends only on the size, so it is the same on any
// machine.
double dot(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t width = 8;
  std::array<double, width> sums{};
  const std::size_t whole = a.size() - a.size() % width;
  for (std::size_t i = 0; i < whole; i += width) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (std::size_t i = whole; i < a.size(); ++i) sums[i - whole] += a[i] * b[i];
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

// Makes the rows orthonormal by the Gram-Schmidt method: each row loses its components along the earlier rows, and is
// then scaled to length 1. For rows of normally distributed numbers all rotations are equally likely, as with Keras'
// `Orthogonal`.
void make_orthonormal(std::vector<double>& matrix, std::size_t width) {
  const auto row = [&](std::size_t i) { return std::span(matrix).subspan(i * width, width); };
  for (std::size_t i = 0; i < matrix.size() / width; ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      const double along = dot(row(i), row(before));
      for (std::size_t k = 0; k < width; ++k) row(i)[k] -= along * row(before)[k];
    }
    const double length = std::sqrt(dot(row(i), row(i)));
    for (double& element : row(i)) element /= length;
  }
}

// Draws the whole matrix even for a part of it, because each row depends on the rows before it.
void write_orthogonal(const NamedShape& tensor, std::uint64_t seed, Range part, std::span<float> values) {
  const std::int64_t columns = tensor.shape.back(), rows = element_count(tensor.shape) / columns;
  const std::int64_t count = std::min(rows, columns), width = std::max(rows, columns);
  std::vector<double> matrix(static_cast<std::size_t>(count * width));
  // A tensor with more rows than columns is stored transposed in `matrix`, because at most `width` vectors of `width`
  // elements can be orthonormal.
  const auto at = [&](std::int64_t element) -> double& {
    const std::int64_t row = element / columns, column = element % columns;
    return matrix[static_cast<std::size_t>(rows <= columns ? element : column * width + row)];
  };
  for (std::int64_t i = 0; i < count * width; ++i) {
    at(i) = normal(seed, Purpose::initial_value, tensor.name, static_cast<std::uint64_t>(i));
  }
  make_orthonormal(matrix, static_cast<std::size_t>(width));
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    values[static_cast<std::size_t>(i - part.begin)] = static_cast<float>(at(i));
  }
}

float element_of(const InitialValues& initial, const NamedShape& tensor, std::uint64_t seed, std::uint64_t element) {
  if (initial.kind == InitialValues::Kind::uniform) {
    return initial.scale * (2 * uniform(seed, Purpose::initial_value, tensor.name, element) - 1);
  }
  if (initial.kind == InitialValues::Kind::truncated_normal) {
    return static_cast<float>(initial.scale * truncated_normal(seed, Purpose::initial_value, tensor.name, element));
  }
  if (initial.kind == InitialValues::Kind::forget_gate) {
    const auto quarter = static_cast<std::uint64_t>(element_count(tensor.shape) / 4);
    return element / quarter == 1 ? initial.scale : 0;
  }
  return initial.scale;
}

}  // namespace

void write_initial_values(const InitialValues& initial, const NamedShape& tensor, std::uint64_t seed, Range part,
                          std::span<float> values) {
  if (initial.kind == InitialValues::Kind::of_data) throw Error(Blame::bug, tensor.name + " has no values of the data");
  if (initial.kind == InitialValues::Kind::orthogonal) return write_orthogonal(tensor, seed, part, values);
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    values[static_cast<std::size_t>(i - part.begin)] = element_of(initial, tensor, seed, static_cast<std::uint64_t>(i));
  }
}

}  // namespace carrack::train
