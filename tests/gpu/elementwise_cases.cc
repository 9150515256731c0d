// Activations, arithmetic and dropout: their bits must be those of the CPU.
#include <cstdint>
#include <limits>
#include <span>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/activations.h"
#include "trainer/kernels/arithmetic.h"
#include "trainer/kernels/dropout.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

constexpr std::size_t sizes[] = {0, 1, 31, 255, 257, 10007};

// Numbers of many magnitudes, with those that functions treat apart.
std::vector<float> values_with_limits(std::size_t size, std::uint32_t seed) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float limits[] = {0.0f, -0.0f, infinity, -infinity, 1e-40f, 100.0f, -100.0f, 0.625f};
  std::vector<float> values = naive::numbers(size, seed);
  for (std::size_t i = 0; i < std::size(limits) && 3 * i < size; ++i) values[3 * i] = limits[i];
  return values;
}

struct Activation {
  const char* name;
  void (*on_cpu)(std::span<const float>, std::span<float>);
  void (*on_device)(cuda::Stream&, std::span<const float>, std::span<float>);
};

void activations_give_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Activation& activation :
       {Activation{"relu", cpu::relu, cuda::relu}, Activation{"sigmoid", cpu::sigmoid, cuda::sigmoid},
        Activation{"tanh", cpu::tanh, cuda::tanh}, Activation{"gelu", cpu::gelu, cuda::gelu},
        Activation{"swish", cpu::swish, cuda::swish}}) {
    for (const std::size_t size : sizes) {
      const std::vector<float> x = values_with_limits(size, 1);
      std::vector<float> expected(size);
      activation.on_cpu(x, expected);
      const cuda::Buffer device_x(x);
      cuda::Buffer y(size);
      activation.on_device(stream, span_of(device_x), {y.data(), size});
      stream.wait();
      check_bits(activation.name, std::to_string(size) + " elements", y, expected);
    }
  }
}

struct Gradient {
  const char* name;
  void (*on_cpu)(std::span<const float>, std::span<const float>, std::span<float>);
  void (*on_device)(cuda::Stream&, std::span<const float>, std::span<const float>, std::span<float>);
};

void gradients_of_activations_give_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Gradient& gradient : {Gradient{"relu_gradient", cpu::relu_gradient, cuda::relu_gradient},
                                   Gradient{"sigmoid_gradient", cpu::sigmoid_gradient, cuda::sigmoid_gradient},
                                   Gradient{"tanh_gradient", cpu::tanh_gradient, cuda::tanh_gradient},
                                   Gradient{"gelu_gradient", cpu::gelu_gradient, cuda::gelu_gradient},
                                   Gradient{"swish_gradient", cpu::swish_gradient, cuda::swish_gradient}}) {
    for (const std::size_t size : sizes) {
      const std::vector<float> of_y = naive::numbers(size, 1), y = values_with_limits(size, 2);
      std::vector<float> expected(size);
      gradient.on_cpu(of_y, y, expected);
      const cuda::Buffer device_of_y(of_y), device_y(y);
      cuda::Buffer of_x(size);
      gradient.on_device(stream, span_of(device_of_y), span_of(device_y), {of_x.data(), size});
      stream.wait();
      check_bits(gradient.name, std::to_string(size) + " elements", of_x, expected);
    }
  }
}

struct Shapes {
  Extents a;
  Extents b;
  Extents result;
};

constexpr Shapes all_shapes[] = {
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},       {{2, 3, 5, 7}, {2, 3, 5, 7}, {2, 3, 5, 7}},
    {{2, 1, 5, 1}, {1, 3, 1, 7}, {2, 3, 5, 7}},       {{1, 1, 1, 7}, {2, 3, 5, 1}, {2, 3, 5, 7}},
    {{1, 1, 1, 1}, {1, 1, 129, 33}, {1, 1, 129, 33}}, {{1, 1, 129, 1}, {1, 1, 129, 33}, {1, 1, 129, 33}},
    {{1, 1, 1, 9}, {1, 1, 0, 9}, {1, 1, 0, 9}},
};

std::string text_of(const Extents& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::size_t size_of(const Extents& extents) {
  return static_cast<std::size_t>(element_count(extents));
}

struct Binary {
  const char* name;
  void (*on_cpu)(Operand, Operand, Result);
  void (*on_device)(cuda::Stream&, Operand, Operand, Result);
};

void arithmetic_of_two_gives_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Binary& function : {Binary{"add", cpu::add, cuda::add}, Binary{"sub", cpu::sub, cuda::sub},
                                 Binary{"mul", cpu::mul, cuda::mul}, Binary{"div", cpu::div, cuda::div}}) {
    for (const Shapes& shapes : all_shapes) {
      const std::vector<float> a = values_with_limits(size_of(shapes.a), 1), b = naive::numbers(size_of(shapes.b), 2);
      std::vector<float> expected(size_of(shapes.result));
      function.on_cpu({a.data(), shapes.a}, {b.data(), shapes.b}, {expected.data(), shapes.result});
      const cuda::Buffer device_a(a), device_b(b);
      cuda::Buffer result(expected.size());
      function.on_device(stream, {device_a.data(), shapes.a}, {device_b.data(), shapes.b},
                         {result.data(), shapes.result});
      stream.wait();
      check_bits(function.name, text_of(shapes.a) + " and " + text_of(shapes.b), result, expected);
    }
  }
}

struct Unary {
  const char* name;
  void (*on_cpu)(Operand, Result);
  void (*on_device)(cuda::Stream&, Operand, Result);
};

void arithmetic_of_one_gives_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const Unary& function :
       {Unary{"neg", cpu::neg, cuda::neg}, Unary{"abs", cpu::abs, cuda::abs}, Unary{"sign", cpu::sign, cuda::sign},
        Unary{"sqrt", cpu::sqrt, cuda::sqrt}, Unary{"expand", cpu::expand, cuda::expand}}) {
    for (const Shapes& shapes : all_shapes) {
      const std::vector<float> a = values_with_limits(size_of(shapes.a), 1);
      std::vector<float> expected(size_of(shapes.result));
      function.on_cpu({a.data(), shapes.a}, {expected.data(), shapes.result});
      const cuda::Buffer device_a(a);
      cuda::Buffer result(expected.size());
      function.on_device(stream, {device_a.data(), shapes.a}, {result.data(), shapes.result});
      stream.wait();
      check_bits(function.name, text_of(shapes.a) + " to " + text_of(shapes.result), result, expected);
    }
  }
}

void fill_sets_each_element() {
  cuda::Stream stream;
  for (const std::size_t size : sizes) {
    cuda::Buffer result(size);
    cuda::fill(stream, 0.7f, {result.data(), {1, 1, 1, static_cast<std::int64_t>(size)}});
    stream.wait();
    check_bits("fill", std::to_string(size) + " elements", result, std::vector<float>(size, 0.7f));
  }
}

void dropout_drops_what_the_cpu_drops() {
  cuda::Stream stream;
  const RowRandomNumbers numbers(7, Purpose::dropout, 3, 99);
  for (const Table shape : {Table{0, 3}, Table{3, 0}, Table{1, 1}, Table{7, 3}, Table{5, 33}, Table{101, 70}}) {
    for (const std::uint64_t first_row : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFE}}) {
      const std::vector<float> x = naive::numbers(static_cast<std::size_t>(shape.rows * shape.width), 1);
      std::vector<float> expected(x.size());
      cpu::dropout(shape, numbers, first_row, 0.3f, x.data(), expected.data());
      const cuda::Buffer device_x(x);
      cuda::Buffer y(x.size());
      cuda::dropout(stream, shape, numbers, first_row, 0.3f, device_x.data(), y.data());
      stream.wait();
      check_bits("dropout", std::to_string(shape.rows) + " rows of " + std::to_string(shape.width), y, expected);
    }
  }
}

}  // namespace

std::vector<Case> elementwise_cases() {
  return {
      {"activations_give_the_bits_of_the_cpu", activations_give_the_bits_of_the_cpu},
      {"gradients_of_activations_give_the_bits_of_the_cpu", gradients_of_activations_give_the_bits_of_the_cpu},
      {"arithmetic_of_two_gives_the_bits_of_the_cpu", arithmetic_of_two_gives_the_bits_of_the_cpu},
      {"arithmetic_of_one_gives_the_bits_of_the_cpu", arithmetic_of_one_gives_the_bits_of_the_cpu},
      {"fill_sets_each_element", fill_sets_each_element},
      {"dropout_drops_what_the_cpu_drops", dropout_drops_what_the_cpu_drops},
  };
}

}  // namespace carrack::gpu_test
