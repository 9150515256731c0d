// Normalization of rows and columns: its bits must be those of the CPU.
#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/normalization.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

std::string text_of(Table shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.width);
}

std::size_t size_of(Table shape) {
  return static_cast<std::size_t>(shape.rows * shape.width);
}

void normalized_rows_give_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Table shape : {Table{0, 3}, Table{1, 1}, Table{3, 2}, Table{2, 15}, Table{5, 16}, Table{4, 17},
                            Table{33, 70}, Table{3, 1000}}) {
    const std::vector<float> x = naive::numbers(size_of(shape), 1), of_normalized = naive::numbers(size_of(shape), 2);
    std::vector<float> normalized(x.size()), of_x(x.size()), inverse(static_cast<std::size_t>(shape.rows));
    cpu::layer_normalization(shape, 1e-3f, x.data(), normalized.data(), inverse.data());
    cpu::layer_normalization_gradient(shape, of_normalized.data(), normalized.data(), inverse.data(), of_x.data());
    const cuda::Buffer device_x(x), device_of_normalized(of_normalized);
    cuda::Buffer device_normalized(x.size()), device_of_x(x.size()), device_inverse(inverse.size());
    cuda::layer_normalization(stream, shape, 1e-3f, device_x.data(), device_normalized.data(), device_inverse.data());
    cuda::layer_normalization_gradient(stream, shape, device_of_normalized.data(), device_normalized.data(),
                                       device_inverse.data(), device_of_x.data());
    stream.wait();
    check_bits("layer_normalization", text_of(shape), device_normalized, normalized);
    check_bits("the inverse deviations of layer_normalization", text_of(shape), device_inverse, inverse);
    check_bits("layer_normalization_gradient", text_of(shape), device_of_x, of_x);
  }
}

// `by` has no lanes yet, and `ends` are of records.
void check_batch(BatchNormalization by, const std::vector<std::int64_t>& ends, const std::vector<float>& x) {
  cuda::Stream stream;
  const std::string of = text_of(by.shape) + " in " + std::to_string(ends.size()) + " lanes";
  const std::vector<float> of_normalized = naive::numbers(x.size(), 2);
  const auto width = static_cast<std::size_t>(by.shape.width);
  std::vector<float> normalized(x.size()), of_x(x.size()), means(width), variances(width);
  by.lane_ends = LaneEnds(ends, by.rows_per_record);
  cpu::batch_normalization(by, x.data(), normalized.data(), {means.data(), variances.data()});
  cpu::batch_normalization_gradient(by, of_normalized.data(), x.data(), of_x.data());
  const cuda::Buffer device_x(x), device_of_normalized(of_normalized);
  const cuda::Array<std::int64_t> device_ends{std::span(ends)};
  by.lane_ends = LaneEnds(span_of(device_ends), by.rows_per_record);
  cuda::Buffer memory(static_cast<std::size_t>(cuda::batch_normalization_floats(by.shape, by.lanes())));
  cuda::Buffer device_normalized(x.size()), device_of_x(x.size()), device_means(width), device_variances(width);
  cuda::batch_normalization(stream, by, device_x.data(), device_normalized.data(),
                            {device_means.data(), device_variances.data()}, memory.data());
  cuda::batch_normalization_gradient(stream, by, device_of_normalized.data(), device_x.data(), device_of_x.data(),
                                     memory.data());
  stream.wait();
  check_bits("batch_normalization", of, device_normalized, normalized);
  check_bits("the means of batch_normalization", of, device_means, means);
  check_bits("the variances of batch_normalization", of, device_variances, variances);
  check_bits("batch_normalization_gradient", of, device_of_x, of_x);
}

void normalized_columns_give_the_bits_of_the_cpu() {
  for (const Table shape : {Table{0, 3}, Table{5, 0}, Table{1, 1}, Table{6, 2}, Table{66, 33}, Table{150, 3},
                            Table{384, 5}, Table{387, 2}, Table{300, 40}}) {
    for (const std::int64_t rows_per_record : {1, 3}) {
      if (shape.rows % rows_per_record != 0) continue;
      const BatchNormalization by{.shape = shape, .rows_per_record = rows_per_record, .epsilon = 1e-3f};
      for (const auto& ends : lane_ends_of(shape.rows / rows_per_record)) {
        check_batch(by, ends, naive::numbers(size_of(shape), 1));
      }
    }
  }
}

void normalized_columns_of_equal_values_give_the_bits_of_the_cpu() {
  const BatchNormalization by{.shape = {20, 2}, .epsilon = 1e-3f};
  for (const auto& ends : lane_ends_of(20)) check_batch(by, ends, std::vector<float>(40, 1e6f));
}

}  // namespace

std::vector<Case> normalization_cases() {
  return {
      {"normalized_rows_give_the_bits_of_the_cpu", normalized_rows_give_the_bits_of_the_cpu},
      {"normalized_columns_give_the_bits_of_the_cpu", normalized_columns_give_the_bits_of_the_cpu},
      {"normalized_columns_of_equal_values_give_the_bits_of_the_cpu",
       normalized_columns_of_equal_values_give_the_bits_of_the_cpu},
  };
}

}  // namespace carrack::gpu_test
