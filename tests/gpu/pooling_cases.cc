// Pooling of images: the bits must be those of the CPU.
#include <limits>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/pooling.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

struct Pooling {
  const char* name;
  PoolingShape shape;
};

WindowAxis axis(std::int64_t input, std::int64_t size, std::int64_t stride, std::int64_t pad, std::int64_t output) {
  return {.input = input, .output = output, .size = size, .stride = stride, .dilation = 1, .pad = pad};
}

std::vector<Pooling> poolings() {
  return {
      {"no rows", {.rows = 0, .height = axis(4, 2, 2, 0, 2), .width = axis(4, 2, 2, 0, 2), .channels = 3}},
      {"windows beside each other",
       {.rows = 3, .height = axis(6, 2, 2, 0, 3), .width = axis(4, 2, 2, 0, 2), .channels = 5}},
      {"windows that overlap, and padding",
       {.rows = 2, .height = axis(7, 3, 2, 1, 4), .width = axis(6, 3, 1, 1, 6), .channels = 67}},
      {"windows with gaps", {.rows = 2, .height = axis(9, 2, 4, 0, 2), .width = axis(8, 1, 3, 0, 3), .channels = 2}},
      {"one window", {.rows = 5, .height = axis(5, 5, 1, 0, 1), .width = axis(3, 3, 1, 0, 1), .channels = 1}},
  };
}

// Equal values, NaN and infinity are among them.
std::vector<float> values_of(std::size_t size) {
  std::vector<float> values = naive::numbers(size, 1);
  for (std::size_t i = 0; i < size; i += 3) values[i] = i % 2 == 0 ? 100.0f : -0.0f;
  for (std::size_t i = 5; i < size; i += 41) values[i] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 7; i < size; i += 53) values[i] = -std::numeric_limits<float>::infinity();
  return values;
}

void pooling_gives_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const auto& [name, shape] : poolings()) {
    const auto output_size = static_cast<std::size_t>(shape.rows * shape.pixels() * shape.channels);
    const auto input_size =
        static_cast<std::size_t>(shape.rows * shape.height.input * shape.width.input * shape.channels);
    const std::vector<float> x = values_of(input_size), of_y = naive::numbers(output_size, 2);
    const cuda::Buffer device_x(x), device_of_y(of_y);
    cuda::Buffer y(output_size), of_x(input_size);
    std::vector<float> expected_y(output_size), expected_of_x(input_size);

    cpu::max_pool(shape, x.data(), expected_y.data());
    cuda::max_pool(stream, shape, device_x.data(), y.data());
    stream.wait();
    check_bits("max_pool", name, y, expected_y);
    cpu::max_pool_gradient(shape, of_y.data(), x.data(), expected_of_x.data());
    cuda::max_pool_gradient(stream, shape, device_of_y.data(), device_x.data(), of_x.data());
    stream.wait();
    check_bits("max_pool_gradient", name, of_x, expected_of_x);

    cpu::average_pool(shape, x.data(), expected_y.data());
    cuda::average_pool(stream, shape, device_x.data(), y.data());
    stream.wait();
    check_bits("average_pool", name, y, expected_y);
    cpu::average_pool_gradient(shape, of_y.data(), expected_of_x.data());
    cuda::average_pool_gradient(stream, shape, device_of_y.data(), of_x.data());
    stream.wait();
    check_bits("average_pool_gradient", name, of_x, expected_of_x);
  }
}

}  // namespace

std::vector<Case> pooling_cases() {
  return {{"pooling_gives_the_bits_of_the_cpu", pooling_gives_the_bits_of_the_cpu}};
}

}  // namespace carrack::gpu_test
