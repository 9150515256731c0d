#include "trainer/kernels/matrix.h"

#include <algorithm>
#include <cstddef>

#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {
namespace {

// Both operands hold what one sum needs side by side: A is [m, k], B is [n, k].
void by_dot_products(const GemmShape& shape, const float* a, const float* b, float* c) {
  const auto length = static_cast<std::size_t>(shape.k);
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      c[i * shape.n + j] = dot({a + i * shape.k, length}, {b + j * shape.k, length});
    }
  }
}

// B is [k, n]: row after row of it is added to a row of C, in the order of k. Four at a time spare C's way through
// memory; the parentheses are the order of one at a time.
void by_rows(const GemmShape& shape, const float* a, const float* b, float* c) {
  const std::int64_t a_row = shape.transpose_a ? 1 : shape.k;
  const std::int64_t a_step = shape.transpose_a ? shape.m : 1;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    const float* x = a + i * a_row;
    float* z = c + i * shape.n;
    std::fill_n(z, shape.n, 0.0f);
    std::int64_t k = 0;
    for (; k + 4 <= shape.k; k += 4) {
      const float x0 = x[k * a_step], x1 = x[(k + 1) * a_step], x2 = x[(k + 2) * a_step], x3 = x[(k + 3) * a_step];
      const float* y = b + k * shape.n;
      for (std::int64_t j = 0; j < shape.n; ++j) {
        z[j] = (((z[j] + x0 * y[j]) + x1 * y[j + shape.n]) + x2 * y[j + 2 * shape.n]) + x3 * y[j + 3 * shape.n];
      }
    }
    for (; k < shape.k; ++k) {
      const float* y = b + k * shape.n;
      for (std::int64_t j = 0; j < shape.n; ++j) z[j] += x[k * a_step] * y[j];
    }
  }
}

// A is [k, m], B is [n, k]: rare, and plain.
void by_elements(const GemmShape& shape, const float* a, const float* b, float* c) {
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      float total = 0;
      for (std::int64_t k = 0; k < shape.k; ++k) total += a[k * shape.m + i] * b[j * shape.k + k];
      c[i * shape.n + j] = total;
    }
  }
}

}  // namespace

void gemm(const GemmShape& shape, const float* a, const float* b, float* c) {
  if (shape.n == 1) {
    // A column is stored like a row, so B and C can be read as rows. A transposed A would be read against the order in
    // which it is stored; the transposed product, C' = B' A, reads A row by row instead.
    if (shape.transpose_a) return by_rows({.m = 1, .n = shape.m, .k = shape.k}, b, a, c);
    return by_dot_products(shape, a, b, c);
  }
  if (!shape.transpose_b) return by_rows(shape, a, b, c);
  if (!shape.transpose_a) return by_dot_products(shape, a, b, c);
  by_elements(shape, a, b, c);
}

}  // namespace carrack::train::cpu
