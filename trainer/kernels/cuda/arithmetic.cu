#include "trainer/kernels/arithmetic.h"

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {
namespace {

// A plain array, because device code must not call the functions of std::array.
struct Strides {
  std::int64_t of[rank_max];
};

Strides strides_of(const Extents& extents) {
  return {{extents[0], extents[1], extents[2], extents[3]}};
}

// An operand. A dimension in which it is broadcast to the shape of the result has the stride 0.
struct Broadcast {
  const float* data;
  Strides strides;
};

template <class Operation>
__global__ void binary_kernel(Operation operation, Broadcast a, Broadcast b, Strides extents, float* result,
                              std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t a_at = 0, b_at = 0;
    for (std::size_t dimension = rank_max; dimension-- > 0;) {
      const std::int64_t extent = extents.of[dimension];
      const std::int64_t place = rest % extent;
      rest /= extent;
      a_at += place * a.strides.of[dimension];
      b_at += place * b.strides.of[dimension];
    }
    result[i] = operation(a.data[a_at], b.data[b_at]);
  });
}

template <class Operation>
void binary(const char* what, Stream& stream, Operand a, Operand b, Result result, Operation operation) {
  const auto size = static_cast<std::size_t>(element_count(result.extents));
  if (size == 0) return;
  launch(what, stream.handle(), launch_for(size), binary_kernel<Operation>, operation,
         Broadcast{a.data, strides_of(broadcast_strides(a.extents, result.extents))},
         Broadcast{b.data, strides_of(broadcast_strides(b.extents, result.extents))}, strides_of(result.extents),
         result.data, size);
}

__global__ void fill_kernel(float value, float* result, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) { result[i] = value; });
}

}  // namespace

void add(Stream& stream, Operand a, Operand b, Result sum) {
  binary("cuda::add", stream, a, b, sum, Add{});
}

void sub(Stream& stream, Operand a, Operand b, Result difference) {
  binary("cuda::sub", stream, a, b, difference, Sub{});
}

void mul(Stream& stream, Operand a, Operand b, Result product) {
  binary("cuda::mul", stream, a, b, product, Mul{});
}

void div(Stream& stream, Operand a, Operand b, Result quotient) {
  binary("cuda::div", stream, a, b, quotient, Div{});
}

// The operations from here to expand() have one operand. binary() gets it twice, and the operation ignores the second.
void neg(Stream& stream, Operand a, Result negative) {
  binary("cuda::neg", stream, a, a, negative, Neg{});
}

void abs(Stream& stream, Operand a, Result absolute) {
  binary("cuda::abs", stream, a, a, absolute, Abs{});
}

void sign(Stream& stream, Operand a, Result signs) {
  binary("cuda::sign", stream, a, a, signs, Sign{});
}

void sqrt(Stream& stream, Operand a, Result roots) {
  binary("cuda::sqrt", stream, a, a, roots, Sqrt{});
}

void expand(Stream& stream, Operand a, Result result) {
  binary("cuda::expand", stream, a, a, result, Copy{});
}

void fill(Stream& stream, float value, Result result) {
  const auto size = static_cast<std::size_t>(element_count(result.extents));
  if (size == 0) return;
  launch("cuda::fill", stream.handle(), launch_for(size), fill_kernel, value, result.data, size);
}

}  // namespace carrack::train::cuda
