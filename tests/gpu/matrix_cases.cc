// The matrix product: its bits must be those of the CPU.
#include <cstdint>
#include <span>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/matrix.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

using Ends = std::vector<std::int64_t>;

std::string text_of(const GemmShape& shape, bool accumulate, const Ends& ends) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k) +
         (shape.transpose_a ? ", a transposed" : "") + (shape.transpose_b ? ", b transposed" : "") +
         (accumulate ? ", added" : "") + ", " + std::to_string(ends.size()) + " lanes";
}

void check_gemm(const GemmShape& shape, bool accumulate, const Ends& ends) {
  const std::vector<float> a = naive::numbers(static_cast<std::size_t>(shape.m * shape.k), 1);
  const std::vector<float> b = naive::numbers(static_cast<std::size_t>(shape.k * shape.n), 2);
  std::vector<float> c = naive::numbers(static_cast<std::size_t>(shape.m * shape.n), 3);
  const cuda::Buffer device_a(a), device_b(b);
  const cuda::Array<std::int64_t> device_ends(ends);
  cuda::Buffer device_c(c);
  cpu::gemm(shape, a.data(), b.data(), c.data(), {.accumulate = accumulate, .lane_ends = ends});
  cuda::Stream stream;
  cuda::gemm(stream, shape, device_a.data(), device_b.data(), device_c.data(),
             {.accumulate = accumulate, .lane_ends = {std::span(device_ends.data(), device_ends.size())}});
  stream.wait();
  check_bits("gemm", text_of(shape, accumulate, ends), device_c, c);
}

void check_transposes(std::int64_t m, std::int64_t n, std::int64_t k, bool accumulate, const Ends& ends) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      check_gemm({transpose_a, transpose_b, m, n, k}, accumulate, ends);
    }
  }
}

void products_give_the_bits_of_the_cpu() {
  for (const std::int64_t m : {0, 1, 33}) {
    for (const std::int64_t n : {0, 1, 65}) {
      for (const std::int64_t k : {0, 1, 37}) {
        for (const bool accumulate : {false, true}) check_transposes(m, n, k, accumulate, {});
      }
    }
  }
}

void products_of_large_tiles_give_the_bits_of_the_cpu() {
  check_gemm({.m = 520, .n = 513, .k = 18}, true, {});
  check_gemm({.transpose_a = true, .transpose_b = true, .m = 513, .n = 520, .k = 18}, false, {});
}

void products_of_more_tiles_than_blocks_give_the_bits_of_the_cpu() {
  check_gemm({.m = 1, .n = 528 * 64 + 1, .k = 2}, false, {});
}

void products_of_lanes_give_the_bits_of_the_cpu() {
  const std::vector<Ends> all_ends = {{53}, {20, 53}, {0, 53}, {0, 0, 1, 17, 17, 40, 53, 53}, {53, 53, 53, 53}};
  for (const Ends& ends : all_ends) {
    for (const bool accumulate : {false, true}) check_transposes(35, 33, 53, accumulate, ends);
  }
  check_gemm({.m = 3, .n = 2, .k = 0}, true, {0, 0});
  check_gemm({.m = 0, .n = 2, .k = 3}, false, {1, 3});
}

// Element i of the lanes' dimension takes up 3 steps.
void lanes_of_several_steps_give_the_bits_of_the_cpu() {
  const Ends rows = {2, 3, 3, 7};
  const GemmShape shape{.transpose_a = true, .m = 5, .n = 4, .k = 21};
  const std::vector<float> a = naive::numbers(5 * 21, 1), b = naive::numbers(21 * 4, 2);
  std::vector<float> expected(5 * 4);
  cpu::gemm(shape, a.data(), b.data(), expected.data(), {.lane_ends = LaneEnds(rows).times(3)});
  const cuda::Buffer device_a(a), device_b(b);
  const cuda::Array<std::int64_t> device_rows(rows);
  cuda::Buffer c(expected.size());
  cuda::Stream stream;
  const LaneEnds ends(std::span(device_rows.data(), device_rows.size()));
  cuda::gemm(stream, shape, device_a.data(), device_b.data(), c.data(), {.lane_ends = ends.times(3)});
  stream.wait();
  check_bits("gemm", "lanes of rows of 3 steps", c, expected);
}

void products_multiply_zeros_by_nan() {
  const std::vector<float> a = {0.0f, 1.0f}, b = {std::nanf(""), 2.0f};
  const cuda::Buffer device_a(a), device_b(b);
  cuda::Buffer c(1);
  cuda::Stream stream;
  cuda::gemm(stream, {.k = 2}, device_a.data(), device_b.data(), c.data());
  stream.wait();
  check_bits("gemm", "0 and NaN", c, {std::nanf("")});
}

}  // namespace

std::vector<Case> matrix_cases() {
  return {
      {"products_give_the_bits_of_the_cpu", products_give_the_bits_of_the_cpu},
      {"products_of_large_tiles_give_the_bits_of_the_cpu", products_of_large_tiles_give_the_bits_of_the_cpu},
      {"products_of_more_tiles_than_blocks_give_the_bits_of_the_cpu",
       products_of_more_tiles_than_blocks_give_the_bits_of_the_cpu},
      {"products_of_lanes_give_the_bits_of_the_cpu", products_of_lanes_give_the_bits_of_the_cpu},
      {"lanes_of_several_steps_give_the_bits_of_the_cpu", lanes_of_several_steps_give_the_bits_of_the_cpu},
      {"products_multiply_zeros_by_nan", products_multiply_zeros_by_nan},
  };
}

}  // namespace carrack::gpu_test
