// Sums: their bits must be those of the CPU.
#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/sums.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

std::string text_of(Reduction3 shape, const LaneEnds& lane_ends) {
  return std::to_string(shape.outer) + "x" + std::to_string(shape.reduced) + "x" + std::to_string(shape.inner) +
         " in " + std::to_string(lane_ends.size()) + " lanes";
}

void check_reduction(Reduction3 shape, const std::vector<std::int64_t>& rows, std::int64_t per_row) {
  cuda::Stream stream;
  std::vector<float> values = naive::numbers(static_cast<std::size_t>(shape.outer * shape.reduced * shape.inner), 1);
  if (values.size() > 5) values[5] = -0.0f;
  std::vector<float> expected(static_cast<std::size_t>(shape.outer * shape.inner));
  const LaneEnds lane_ends(rows, per_row);
  cpu::reduce_sum(shape, values.data(), expected.data(), lane_ends);
  const cuda::Buffer device_values(values);
  const cuda::Array<std::int64_t> device_rows{std::span(rows)};
  cuda::Buffer sums(expected.size());
  cuda::reduce_sum(stream, shape, device_values.data(), sums.data(), {span_of(device_rows), per_row});
  stream.wait();
  check_bits("reduce_sum", text_of(shape, lane_ends), sums, expected);
}

void sums_of_values_that_follow_each_other_give_the_bits_of_the_cpu() {
  for (const std::int64_t reduced : {0, 1, 17, 1024, 2500}) {
    for (const auto& rows : lane_ends_of(reduced)) check_reduction({2, reduced, 1}, rows, 1);
  }
}

void sums_of_columns_give_the_bits_of_the_cpu() {
  for (const std::int64_t inner : {0, 2, 33}) {
    for (const std::int64_t reduced : {0, 1, 64, 130}) {
      for (const auto& rows : lane_ends_of(reduced)) check_reduction({2, reduced, inner}, rows, 1);
    }
  }
  check_reduction({1, 65, 70}, {}, 1);
}

void sums_of_rows_with_several_elements_give_the_bits_of_the_cpu() {
  for (const std::int64_t inner : {1, 5}) {
    for (const auto& rows : lane_ends_of(41)) check_reduction({1, 123, inner}, rows, 3);
  }
}

void more_sums_than_a_grid_has_blocks_give_the_bits_of_the_cpu() {
  check_reduction({2113, 1, 1}, {}, 1);
}

void no_sums_are_of_nothing() {
  check_reduction({0, 3, 2}, {}, 1);
}

void accumulated_values_give_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const std::size_t size : {0, 1, 255, 257, 10007}) {
    std::vector<float> into = naive::numbers(size, 1);
    const std::vector<float> values = naive::numbers(size, 2);
    cuda::Buffer device_into(into);
    const cuda::Buffer device_values(values);
    cuda::accumulate(stream, {device_into.data(), size}, span_of(device_values));
    stream.wait();
    cpu::accumulate(into, values);
    check_bits("accumulate", std::to_string(size) + " elements", device_into, into);
  }
}

}  // namespace

std::vector<Case> sums_cases() {
  return {
      {"sums_of_values_that_follow_each_other_give_the_bits_of_the_cpu",
       sums_of_values_that_follow_each_other_give_the_bits_of_the_cpu},
      {"sums_of_columns_give_the_bits_of_the_cpu", sums_of_columns_give_the_bits_of_the_cpu},
      {"sums_of_rows_with_several_elements_give_the_bits_of_the_cpu",
       sums_of_rows_with_several_elements_give_the_bits_of_the_cpu},
      {"more_sums_than_a_grid_has_blocks_give_the_bits_of_the_cpu",
       more_sums_than_a_grid_has_blocks_give_the_bits_of_the_cpu},
      {"no_sums_are_of_nothing", no_sums_are_of_nothing},
      {"accumulated_values_give_the_bits_of_the_cpu", accumulated_values_give_the_bits_of_the_cpu},
  };
}

}  // namespace carrack::gpu_test
