// Convolutions and their gradients: their bits must be those of the CPU.
#include <cmath>
#include <cstdint>
#include <span>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/convolution.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

using Ends = std::vector<std::int64_t>;

struct Named {
  const char* name;
  ConvolutionShape shape;
};

// In an axis: input, output, size, stride, dilation, pad.
const Named all_shapes[] = {
    {"one pixel", {}},
    {"no rows", {.rows = 0, .height = {3, 2, 2}, .width = {3, 2, 2}}},
    {"pixels as they are", {.rows = 7, .height = {5, 5}, .width = {3, 3}, .channels = 7, .filters = 9}},
    {"padding", {.rows = 3, .height = {6, 6, 3, 1, 1, 1}, .width = {5, 5, 3, 1, 1, 1}, .channels = 3, .filters = 5}},
    {"strides and dilation",
     {.rows = 8, .height = {9, 5, 3, 2, 1, 1}, .width = {8, 3, 2, 3, 2, 1}, .channels = 2, .filters = 33}},
    {"groups", {.rows = 3, .height = {4, 3, 2}, .width = {5, 3, 3}, .channels = 8, .filters = 6, .groups = 2}},
    {"a group for each channel",
     {.rows = 2, .height = {4, 4, 3, 1, 1, 1}, .width = {4, 2, 2, 2}, .channels = 5, .filters = 10, .groups = 5}},
    {"groups of single pixels",
     {.rows = 3, .height = {4, 4}, .width = {3, 3}, .channels = 4, .filters = 6, .groups = 2}},
    {"pixels that no window reads",
     {.rows = 2, .height = {8, 3, 2, 3}, .width = {7, 2, 1, 4}, .channels = 3, .filters = 2}},
    {"windows of padding alone", {.rows = 2, .height = {2, 6, 1, 1, 1, 2}, .width = {2, 5, 2, 1, 2, 2}, .channels = 2}},
};

struct Inputs {
  explicit Inputs(const ConvolutionShape& shape)
      : x(naive::numbers(static_cast<std::size_t>(shape.rows * shape.height.input * shape.width.input * shape.channels),
                         1)),
        weights(naive::numbers(static_cast<std::size_t>(shape.patch_size() * shape.filters), 2)),
        of_y(naive::numbers(static_cast<std::size_t>(shape.rows * shape.pixels() * shape.filters), 3)) {}

  std::vector<float> x, weights, of_y;
};

void check_convolution(const Named& of, const Inputs& inputs) {
  std::vector<float> expected(inputs.of_y.size());
  cpu::convolution(of.shape, inputs.x.data(), inputs.weights.data(), expected.data());
  const cuda::Buffer x(inputs.x), weights(inputs.weights);
  cuda::Buffer y(expected.size());
  cuda::Stream stream;
  cuda::convolution(stream, of.shape, x.data(), weights.data(), y.data());
  stream.wait();
  check_bits("convolution", of.name, y, expected);
}

void check_input_gradient(const Named& of, const Inputs& inputs) {
  std::vector<float> expected(inputs.x.size());
  cpu::convolution_input_gradient(of.shape, inputs.of_y.data(), inputs.weights.data(), expected.data());
  const cuda::Buffer of_y(inputs.of_y), weights(inputs.weights);
  cuda::Buffer of_x(expected.size());
  cuda::Stream stream;
  cuda::convolution_input_gradient(stream, of.shape, of_y.data(), weights.data(), of_x.data());
  stream.wait();
  check_bits("convolution_input_gradient", of.name, of_x, expected);
}

void check_weight_gradient(const Named& of, const Inputs& inputs, const Ends& ends) {
  std::vector<float> expected(inputs.weights.size());
  cpu::convolution_weight_gradient(of.shape, inputs.of_y.data(), inputs.x.data(), expected.data(), ends);
  const cuda::Buffer of_y(inputs.of_y), x(inputs.x);
  const cuda::Array<std::int64_t> device_ends(ends);
  cuda::Buffer of_weights(expected.size());
  cuda::Stream stream;
  cuda::convolution_weight_gradient(stream, of.shape, of_y.data(), x.data(), of_weights.data(),
                                    std::span(device_ends.data(), device_ends.size()));
  stream.wait();
  check_bits("convolution_weight_gradient", std::string(of.name) + ", " + std::to_string(ends.size()) + " lanes",
             of_weights, expected);
}

void convolutions_give_the_bits_of_the_cpu() {
  for (const Named& of : all_shapes) check_convolution(of, Inputs(of.shape));
}

void input_gradients_give_the_bits_of_the_cpu() {
  for (const Named& of : all_shapes) check_input_gradient(of, Inputs(of.shape));
}

void weight_gradients_give_the_bits_of_the_cpu() {
  for (const Named& of : all_shapes) {
    const std::int64_t rows = of.shape.rows;
    const Ends all_ends[] = {{}, {rows}, {rows / 2, rows}, {0, 0, rows / 3, rows / 3, rows / 2, rows, rows, rows}};
    for (const Ends& ends : all_ends) check_weight_gradient(of, Inputs(of.shape), ends);
  }
}

// A gradient reaches pixels only by the weights with which they were read.
void weights_that_are_nan_reach_what_they_reach_on_the_cpu() {
  for (const Named& of : all_shapes) {
    Inputs inputs(of.shape);
    inputs.weights.front() = NAN;
    check_convolution(of, inputs);
    check_input_gradient(of, inputs);
  }
}

void convolutions_of_large_tiles_give_the_bits_of_the_cpu() {
  const Named of{"large tiles",
                 {.rows = 2, .height = {41, 40, 2}, .width = {51, 51, 3, 1, 1, 1}, .channels = 1, .filters = 65}};
  check_convolution(of, Inputs(of.shape));
}

void input_gradients_of_more_tiles_than_blocks_give_the_bits_of_the_cpu() {
  constexpr std::int64_t groups = 529;
  const Named of{"more tiles than blocks",
                 {.height = {2, 1, 2}, .width = {2, 2}, .channels = groups, .filters = groups, .groups = groups}};
  check_input_gradient(of, Inputs(of.shape));
}

}  // namespace

std::vector<Case> convolution_cases() {
  return {
      {"convolutions_give_the_bits_of_the_cpu", convolutions_give_the_bits_of_the_cpu},
      {"input_gradients_give_the_bits_of_the_cpu", input_gradients_give_the_bits_of_the_cpu},
      {"weight_gradients_give_the_bits_of_the_cpu", weight_gradients_give_the_bits_of_the_cpu},
      {"weights_that_are_nan_reach_what_they_reach_on_the_cpu", weights_that_are_nan_reach_what_they_reach_on_the_cpu},
      {"convolutions_of_large_tiles_give_the_bits_of_the_cpu", convolutions_of_large_tiles_give_the_bits_of_the_cpu},
      {"input_gradients_of_more_tiles_than_blocks_give_the_bits_of_the_cpu",
       input_gradients_of_more_tiles_than_blocks_give_the_bits_of_the_cpu},
  };
}

}  // namespace carrack::gpu_test
