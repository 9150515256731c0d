#include "trainer/kernels/arithmetic.h"

#include <algorithm>
#include <cstddef>

#include "trainer/kernels/elementwise.h"

namespace carrack::train::cpu {
namespace {

// Calls row(offset in a, offset in b, offset in the result) for each innermost row of the result.
template <typename Row>
void for_each_row(const Extents& a, const Extents& b, const Extents& result, Row row) {
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < result[0]; ++i) {
    for (std::int64_t j = 0; j < result[1]; ++j) {
      for (std::int64_t k = 0; k < result[2]; ++k) {
        row(i * a[0] + j * a[1] + k * a[2], i * b[0] + j * b[1] + k * b[2], at);
        at += result[3];
      }
    }
  }
}

template <typename Operation>
void binary(Operand a, Operand b, Result result, Operation operation) {
  const Extents a_strides = broadcast_strides(a.extents, result.extents);
  const Extents b_strides = broadcast_strides(b.extents, result.extents);
  const std::int64_t length = result.extents[3];
  for_each_row(a_strides, b_strides, result.extents, [&](std::int64_t a_at, std::int64_t b_at, std::int64_t at) {
    const float* x = a.data + a_at;
    const float* y = b.data + b_at;
    float* z = result.data + at;
    // An innermost stride is 0 if the operand is broadcast along this row, else 1. A loop for each case lets the
    // compiler use vector instructions.
    if (a_strides[3] == 0 && b_strides[3] == 0) {
      std::fill_n(z, length, operation(*x, *y));
    } else if (a_strides[3] == b_strides[3]) {
      for (std::int64_t i = 0; i < length; ++i) z[i] = operation(x[i], y[i]);
    } else if (a_strides[3] == 0) {
      for (std::int64_t i = 0; i < length; ++i) z[i] = operation(*x, y[i]);
    } else {
      for (std::int64_t i = 0; i < length; ++i) z[i] = operation(x[i], *y);
    }
  });
}

}  // namespace

void add(Operand a, Operand b, Result sum) {
  binary(a, b, sum, Add{});
}

void sub(Operand a, Operand b, Result difference) {
  binary(a, b, difference, Sub{});
}

void mul(Operand a, Operand b, Result product) {
  binary(a, b, product, Mul{});
}

void div(Operand a, Operand b, Result quotient) {
  binary(a, b, quotient, Div{});
}

// The operations from here to expand() have one operand. binary() gets it twice, and the operation ignores the second.
void neg(Operand a, Result negative) {
  binary(a, a, negative, Neg{});
}

void abs(Operand a, Result absolute) {
  binary(a, a, absolute, Abs{});
}

void sign(Operand a, Result signs) {
  binary(a, a, signs, Sign{});
}

void sqrt(Operand a, Result roots) {
  binary(a, a, roots, Sqrt{});
}

void expand(Operand a, Result result) {
  binary(a, a, result, Copy{});
}

void fill(float value, Result result) {
  std::fill_n(result.data, element_count(result.extents), value);
}

}  // namespace carrack::train::cpu
