// Recurrent layers and their gradients: their bits must be those of the CPU.
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/recurrent.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

const RecurrentShape all_shapes[] = {
    {},
    {.rows = 0, .steps = 2, .inputs = 3, .units = 4},
    {.rows = 2, .steps = 0, .inputs = 3, .units = 4},
    {.rows = 3, .steps = 1, .inputs = 5, .units = 7},
    {.rows = 2, .steps = 4, .inputs = 0, .units = 3},
    {.rows = 16, .steps = 2, .inputs = 17, .units = 16},
    {.rows = 17, .steps = 3, .inputs = 2, .units = 33},
    {.rows = 528 * 16 + 1, .steps = 1, .inputs = 1, .units = 1},  // more tiles than blocks
};

std::string text_of(const RecurrentShape& shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.steps) + " steps, " +
         std::to_string(shape.inputs) + " inputs, " + std::to_string(shape.units) + " units";
}

// Small enough that gates differ from their limits.
std::vector<float> floats(std::int64_t size, std::uint32_t seed) {
  std::vector<float> values = naive::numbers(static_cast<std::size_t>(size), seed);
  for (float& value : values) value /= 16384;
  return values;
}

// Some of them lead gates to their limits and beyond, one is NaN.
std::vector<float> inputs(std::int64_t size) {
  std::vector<float> values = floats(size, 1);
  for (std::size_t i = 3; i < values.size(); i += 7) values[i] *= i % 2 == 0 ? 1e4f : 1e38f;
  if (values.size() > 50) values[50] = NAN;
  return values;
}

// The last one is -0, which a chain that begins with 0 turns into 0.
std::vector<float> biases(std::int64_t size, std::uint32_t seed) {
  std::vector<float> values = floats(size, seed);
  values.back() = -0.0f;
  return values;
}

// What a layer with so many gates reads and writes; gradients read what was written before.
struct Layer {
  Layer(const RecurrentShape& of, std::int64_t gates) : shape(of), width(gates * of.units) {}

  void check_all(const char* function, std::initializer_list<const Both*> results) const {
    int number = 0;
    for (const Both* result : results) {
      check_bits(function, text_of(shape) + ", result " + std::to_string(number++), result->device, result->host);
    }
  }

  RecurrentShape shape;
  std::int64_t width, steps = shape.rows * shape.steps;
  Both x{inputs(steps * shape.inputs)}, w{floats(shape.inputs * width, 2)}, r{floats(shape.units * width, 3)};
  Both bias{biases(width, 4)}, state_bias{biases(width, 5)}, of_y{floats(steps * shape.units, 6)};
  Both y{floats(steps * shape.units, 7)}, cells{floats(steps * shape.units, 8)}, activated{floats(steps * width, 9)};
  Both of_sums{floats(steps * width, 10)}, of_state_sums{floats(steps * width, 11)};
};

void lstm_gives_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const RecurrentShape& shape : all_shapes) {
    Layer of(shape, 4);
    cpu::lstm(shape, {of.x.host.data(), of.w.host.data(), of.r.host.data(), of.bias.host.data(), of.y.host.data(),
                      of.cells.host.data(), of.activated.host.data()});
    cuda::lstm(stream, shape,
               {of.x.device.data(), of.w.device.data(), of.r.device.data(), of.bias.device.data(), of.y.device.data(),
                of.cells.device.data(), of.activated.device.data()});
    stream.wait();
    of.check_all("lstm", {&of.y, &of.cells, &of.activated});
    cpu::lstm_gradient(shape, {of.of_y.host.data(), of.cells.host.data(), of.activated.host.data(), of.r.host.data(),
                               of.of_sums.host.data()});
    cuda::lstm_gradient(stream, shape,
                        {of.of_y.device.data(), of.cells.device.data(), of.activated.device.data(), of.r.device.data(),
                         of.of_sums.device.data()});
    stream.wait();
    of.check_all("lstm_gradient", {&of.of_sums});
  }
}

void gru_gives_the_bits_of_the_cpu() {
  cuda::Stream stream;
  for (const RecurrentShape& shape : all_shapes) {
    Layer of(shape, 3);
    cpu::gru(shape, {of.x.host.data(), of.w.host.data(), of.r.host.data(), of.bias.host.data(),
                     of.state_bias.host.data(), of.y.host.data(), of.activated.host.data(), of.cells.host.data()});
    cuda::gru(stream, shape,
              {of.x.device.data(), of.w.device.data(), of.r.device.data(), of.bias.device.data(),
               of.state_bias.device.data(), of.y.device.data(), of.activated.device.data(), of.cells.device.data()});
    stream.wait();
    of.check_all("gru", {&of.y, &of.activated, &of.cells});
    cpu::gru_gradient(shape, {of.of_y.host.data(), of.y.host.data(), of.activated.host.data(), of.cells.host.data(),
                              of.r.host.data(), of.of_sums.host.data(), of.of_state_sums.host.data()});
    cuda::gru_gradient(stream, shape,
                       {of.of_y.device.data(), of.y.device.data(), of.activated.device.data(), of.cells.device.data(),
                        of.r.device.data(), of.of_sums.device.data(), of.of_state_sums.device.data()});
    stream.wait();
    of.check_all("gru_gradient", {&of.of_sums, &of.of_state_sums});
  }
}

void inputs_of_steps_are_those_of_the_cpu() {
  cuda::Stream stream;
  for (const RecurrentShape& shape : all_shapes) {
    const Layer of(shape, 1);
    Both to(floats(of.steps * (1 + shape.inputs + shape.units), 1));
    cpu::step_inputs(shape, of.x.host.data(), of.y.host.data(), to.host.data());
    cuda::step_inputs(stream, shape, of.x.device.data(), of.y.device.data(), to.device.data());
    stream.wait();
    of.check_all("step_inputs", {&to});
  }
}

}  // namespace

std::vector<Case> recurrent_cases() {
  return {
      {"lstm_gives_the_bits_of_the_cpu", lstm_gives_the_bits_of_the_cpu},
      {"gru_gives_the_bits_of_the_cpu", gru_gives_the_bits_of_the_cpu},
      {"inputs_of_steps_are_those_of_the_cpu", inputs_of_steps_are_those_of_the_cpu},
  };
}

}  // namespace carrack::gpu_test
