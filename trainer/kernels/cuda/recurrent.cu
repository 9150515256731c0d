#include "trainer/kernels/recurrent.h"

#include <bit>
#include <cstdint>

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/cuda/products.cuh"
#include "trainer/kernels/recurrent_units.h"

// The products of the inputs are computed for all steps by one launch. Each step is then a launch of its own, because
// it reads what all blocks have written in the previous step. A thread computes all gates of a unit, and its state.
namespace carrack::train::cuda {
namespace {

// A vector of one float, for the functions in gate_functions.h, which compute with vectors.
struct Scalar {
  float value;

  CARRACK_HOST_DEVICE static Scalar all(float x) { return {x}; }
  CARRACK_HOST_DEVICE friend Scalar operator+(Scalar a, Scalar b) { return {a.value + b.value}; }
  CARRACK_HOST_DEVICE friend Scalar operator-(Scalar a, Scalar b) { return {a.value - b.value}; }
  CARRACK_HOST_DEVICE friend Scalar operator*(Scalar a, Scalar b) { return {a.value * b.value}; }
  CARRACK_HOST_DEVICE friend Scalar operator/(Scalar a, Scalar b) { return {a.value / b.value}; }
  CARRACK_HOST_DEVICE friend Scalar fma(Scalar a, Scalar b, Scalar c) { return {fmaf(a.value, b.value, c.value)}; }
  CARRACK_HOST_DEVICE friend Scalar least(Scalar a, Scalar b) { return a.value < b.value ? a : b; }
  CARRACK_HOST_DEVICE friend Scalar greatest(Scalar a, Scalar b) { return a.value > b.value ? a : b; }
  CARRACK_HOST_DEVICE static Scalar power_of_two(Scalar x) {
    return {std::bit_cast<float>((std::bit_cast<std::uint32_t>(x.value) << 23) + 0x3f800000u)};
  }
};

// The weights R [units, gates * units] as the right operand of a product (products.cuh), with the columns in another
// order: the `gates` elements of a row that one thread computes are all gates of one unit, so that the thread can also
// compute the unit's state. Columns after the last unit are zeros.
template <int gates>
struct GateColumns {
  using Line = const float*;  // null after the last unit

  const float* weights;
  std::int64_t units;

  static std::int64_t count(std::int64_t units) {
    return (units + tile_threads - 1) / tile_threads * tile_threads * gates;
  }
  __device__ bool is_along_steps() const { return false; }
  __device__ Line line(std::int64_t, std::int64_t column) const {
    const std::int64_t gate = column / tile_threads % gates;
    const std::int64_t unit = column / (tile_threads * gates) * tile_threads + column % tile_threads;
    return unit < units ? weights + gate * units + unit : nullptr;
  }
  __device__ float operator()(Line line, std::int64_t step) const {
    return line == nullptr ? 0.0f : line[step * gates * units];
  }
};

// The row and unit that a thread computes, in a tile in which each thread computes one row and `columns` columns.
struct Unit {
  std::int64_t row, unit;
  bool is_inside;
  std::int64_t at;  // its index in Y

  __device__ Unit(const RecurrentShape& shape, const Tile& tile, int columns, std::int64_t step)
      : row(tile.row + threadIdx.x / tile_threads),
        unit(tile.column / columns + threadIdx.x % tile_threads),
        is_inside(row < shape.rows && unit < shape.units),
        at((row * shape.steps + step) * shape.units + unit) {}

  // Returns the index of the unit's first gate in an array [rows, steps, gates * units]. The next gate is `units`
  // elements later.
  __device__ std::int64_t first_of(int gates) const { return (at - unit) * gates + unit; }
};

// Returns one step of an array [rows, steps, width] as a left operand.
__device__ Matrix step_of(const RecurrentShape& shape, const float* array, std::int64_t step, std::int64_t width) {
  return {array + step * width, shape.steps * width, 1};
}

__global__ void lstm_step_kernel(RecurrentShape shape, Lstm of, ProductSize size, std::int64_t step) {
  for_each_tile<1, 4>(size, [&](const Tile& tile) {
    const Unit at(shape, tile, 4, step);
    float* const gates = of.gates + at.first_of(4);
    Sums<1, 4> sums;
    for (int gate = 0; at.is_inside && gate < 4; ++gate) sums.at[0][gate] = gates[gate * shape.units];
    if (step > 0) {
      add_products(tile, {0, shape.units}, step_of(shape, of.y, step - 1, shape.units),
                   GateColumns<4>{of.r, shape.units}, sums);
    }
    if (!at.is_inside) return;
    const auto sum = [&](int gate) { return Scalar{sums.at[0][gate]}; };
    const float cell_before = step > 0 ? of.cells[at.at - shape.units] : 0.0f;
    const LstmUnit<Scalar> unit = lstm_unit(sum(0), sum(1), sum(2), sum(3), Scalar{cell_before});
    gates[0] = unit.i.value;
    gates[shape.units] = unit.f.value;
    gates[2 * shape.units] = unit.g.value;
    gates[3 * shape.units] = unit.o.value;
    of.cells[at.at] = unit.cell.value;
    of.y[at.at] = unit.state.value;
  });
}

// Computes the gradients of one step. The previous step also needs the gradient of its cell. This kernel stores it in
// the part of of_sums where the launch for the previous step will write its first gradient. So it needs no more memory.
__global__ void lstm_gradient_step_kernel(RecurrentShape shape, LstmGradient of, ProductSize size, std::int64_t step) {
  for_each_tile<1, 1>(size, [&](const Tile& tile) {
    const std::int64_t units = shape.units, width = 4 * units;
    const bool is_last = step + 1 == shape.steps;
    Sums<1, 1> of_h;
    if (!is_last) {
      add_products(tile, {0, width}, step_of(shape, of.of_sums, step + 1, width), Matrix{of.r, width, 1}, of_h);
    }
    const Unit at(shape, tile, 1, step);
    if (!at.is_inside) return;
    const float* const gates = of.gates + at.first_of(4);
    float* const of_sums = of.of_sums + at.first_of(4);
    const float of_state = of.of_y[at.at] + of_h.at[0][0];
    const float cell_before = step > 0 ? of.cells[at.at - units] : 0.0f;
    const auto gate = [&](int index) { return Scalar{gates[index * units]}; };
    const LstmUnitGradient<Scalar> unit =
        lstm_unit_gradient(gate(0), gate(1), gate(2), gate(3), Scalar{of.cells[at.at]}, Scalar{cell_before},
                           Scalar{of_state}, Scalar{is_last ? 0.0f : of_sums[0]});
    of_sums[0] = unit.i.value;
    of_sums[units] = unit.f.value;
    of_sums[2 * units] = unit.g.value;
    of_sums[3 * units] = unit.o.value;
    if (step > 0) of_sums[-width] = unit.cell_before.value;
  });
}

__global__ void gru_step_kernel(RecurrentShape shape, Gru of, ProductSize size, std::int64_t step) {
  for_each_tile<1, 3>(size, [&](const Tile& tile) {
    const std::int64_t units = shape.units;
    const Unit at(shape, tile, 3, step);
    Sums<1, 3> state;
    // Adding 0 turns a bias of -0 into 0, as on the CPU, where the chain begins with 0 and then adds the bias.
    for (int gate = 0; at.is_inside && gate < 3; ++gate) {
      state.at[0][gate] = 0.0f + of.state_bias[gate * units + at.unit];
    }
    if (step > 0) {
      add_products(tile, {0, units}, step_of(shape, of.y, step - 1, units), GateColumns<3>{of.r, units}, state);
    }
    if (!at.is_inside) return;
    float* const gates = of.gates + at.first_of(3);
    const auto input_sum = [&](int gate) { return Scalar{gates[gate * units]}; };
    const auto state_sum = [&](int gate) { return Scalar{state.at[0][gate]}; };
    const float state_before = step > 0 ? of.y[at.at - units] : 0.0f;
    const GruUnit<Scalar> unit = gru_unit(input_sum(0), input_sum(1), input_sum(2), state_sum(0), state_sum(1),
                                          state_sum(2), Scalar{state_before});
    gates[0] = unit.z.value;
    gates[units] = unit.r.value;
    gates[2 * units] = unit.n.value;
    of.of_state[at.at] = state_sum(2).value;
    of.y[at.at] = unit.state.value;
  });
}

// Computes the gradients of one step. The previous step also needs the gradient of its state, without the part that it
// gets through R. This kernel stores it in the part of of_state_sums where the launch for the previous step will write
// its first gradient, so it needs no other memory.
__global__ void gru_gradient_step_kernel(RecurrentShape shape, GruGradient of, ProductSize size, std::int64_t step) {
  for_each_tile<1, 1>(size, [&](const Tile& tile) {
    const std::int64_t units = shape.units, width = 3 * units;
    const Unit at(shape, tile, 1, step);
    float* const of_state_sums = of.of_state_sums + at.first_of(3);
    Sums<1, 1> of_h;
    if (step + 1 < shape.steps) {
      if (at.is_inside) of_h.at[0][0] = of_state_sums[0];
      add_products(tile, {0, width}, step_of(shape, of.of_state_sums, step + 1, width), Matrix{of.r, width, 1}, of_h);
    }
    if (!at.is_inside) return;
    const float* const gates = of.gates + at.first_of(3);
    float* const of_input_sums = of.of_input_sums + at.first_of(3);
    const float of_state = of.of_y[at.at] + of_h.at[0][0];
    const float state_before = step > 0 ? of.y[at.at - units] : 0.0f;
    const GruUnitGradient<Scalar> unit =
        gru_unit_gradient(Scalar{gates[0]}, Scalar{gates[units]}, Scalar{gates[2 * units]}, Scalar{of.of_state[at.at]},
                          Scalar{state_before}, Scalar{of_state});
    of_input_sums[0] = of_state_sums[0] = unit.z.value;
    of_input_sums[units] = of_state_sums[units] = unit.r.value;
    of_input_sums[2 * units] = unit.n.value;
    of_state_sums[2 * units] = unit.n_state.value;
    if (step > 0) of_state_sums[-width] = unit.state_before.value;
  });
}

// Sets each row to 0 + bias, because the CPU's chains begin with 0 and then add the bias: a bias of -0 becomes 0.
__global__ void bias_kernel(const float* bias, std::size_t width, float* sums, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) { sums[i] = 0.0f + bias[i % width]; });
}

// Computes sums = bias + x W for all steps.
void sum_inputs(const char* what, Stream& stream, const RecurrentShape& shape, std::int64_t width, const float* bias,
                const float* x, const float* w, float* sums) {
  const auto size = static_cast<std::size_t>(shape.rows * shape.steps * width);
  if (size == 0) return;
  launch(what, stream.handle(), launch_for(size), bias_kernel, bias, static_cast<std::size_t>(width), sums, size);
  gemm(stream, {.m = shape.rows * shape.steps, .n = width, .k = shape.inputs}, x, w, sums, {.accumulate = true});
}

// Launches the kernel of one step. Its product has `width` columns, and each thread computes `columns` of them.
template <int columns, class Of>
void launch_step(const char* what, Stream& stream, void (*kernel)(RecurrentShape, Of, ProductSize, std::int64_t),
                 const RecurrentShape& shape, const Of& of, std::int64_t width, std::int64_t step) {
  const ProductSize size{1, shape.rows, width};
  const std::int64_t tiles = count_tiles<1, columns>(size);
  if (tiles > 0) launch(what, stream.handle(), launch_for_tiles(tiles), kernel, shape, of, size, step);
}

__global__ void step_inputs_kernel(RecurrentShape shape, const float* x, const float* y, float* to, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) {
    const std::int64_t terms = 1 + shape.inputs + shape.units;
    const std::int64_t at = static_cast<std::int64_t>(i) / terms, term = static_cast<std::int64_t>(i) % terms;
    const std::int64_t unit = term - 1 - shape.inputs;
    if (term == 0) {
      to[i] = 1;
    } else if (unit < 0) {
      to[i] = x[at * shape.inputs + term - 1];
    } else {
      to[i] = at % shape.steps == 0 ? 0.0f : y[(at - 1) * shape.units + unit];
    }
  });
}

}  // namespace

void lstm(Stream& stream, const RecurrentShape& shape, const Lstm& of) {
  sum_inputs("cuda::lstm", stream, shape, 4 * shape.units, of.bias, of.x, of.w, of.gates);
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    launch_step<4>("cuda::lstm", stream, lstm_step_kernel, shape, of, GateColumns<4>::count(shape.units), step);
  }
}

void lstm_gradient(Stream& stream, const RecurrentShape& shape, const LstmGradient& of) {
  for (std::int64_t step = shape.steps - 1; step >= 0; --step) {
    launch_step<1>("cuda::lstm_gradient", stream, lstm_gradient_step_kernel, shape, of, shape.units, step);
  }
}

void gru(Stream& stream, const RecurrentShape& shape, const Gru& of) {
  sum_inputs("cuda::gru", stream, shape, 3 * shape.units, of.bias, of.x, of.w, of.gates);
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    launch_step<3>("cuda::gru", stream, gru_step_kernel, shape, of, GateColumns<3>::count(shape.units), step);
  }
}

void gru_gradient(Stream& stream, const RecurrentShape& shape, const GruGradient& of) {
  for (std::int64_t step = shape.steps - 1; step >= 0; --step) {
    launch_step<1>("cuda::gru_gradient", stream, gru_gradient_step_kernel, shape, of, shape.units, step);
  }
}

void step_inputs(Stream& stream, const RecurrentShape& shape, const float* x, const float* y, float* to) {
  const std::int64_t size = shape.rows * shape.steps * (1 + shape.inputs + shape.units);
  if (size == 0) return;
  launch("cuda::step_inputs", stream.handle(), launch_for(static_cast<std::size_t>(size)), step_inputs_kernel, shape, x,
         y, to, static_cast<std::size_t>(size));
}

}  // namespace carrack::train::cuda
