#include "trainer/kernels/normalization.h"

#include <cmath>
#include <cstddef>

#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {

void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation) {
  const auto width = static_cast<std::size_t>(shape.width);
  const float count = static_cast<float>(shape.width);
  for (std::int64_t row = 0; row < shape.rows; ++row, x += width, normalized += width) {
    const float mean = sum({x, width}) / count;
    for (std::size_t i = 0; i < width; ++i) normalized[i] = x[i] - mean;
    const float variance = sum_of_products({normalized, width}, {normalized, width}) / count;
    inverse_deviation[row] = 1.0f / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < width; ++i) normalized[i] *= inverse_deviation[row];
  }
}

void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x) {
  const auto width = static_cast<std::size_t>(shape.width);
  const float count = static_cast<float>(shape.width);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const float mean = sum({of_normalized, width}) / count;
    const float along = sum_of_products({of_normalized, width}, {normalized, width}) / count;
    for (std::size_t i = 0; i < width; ++i) {
      of_x[i] = gradient_before_normalization(inverse_deviation[row], of_normalized[i], mean, normalized[i], along);
    }
    of_normalized += width;
    normalized += width;
    of_x += width;
  }
}

}  // namespace carrack::train::cpu
