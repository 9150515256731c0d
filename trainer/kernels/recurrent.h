// The LSTM and GRU layers, each over all time steps of whole sequences, and their gradients. The executor calls them.
// The bits are the same on every machine and device, and depend neither on the number of threads nor on the other rows
// of a batch. The initial state is zero.
//
// In the formulas, x is the input and h the state (the output) of a step; W and R are the weights of the two; b is the
// bias. All matrices are dense and row-major. X is [rows, steps, inputs], and Y [rows, steps, units]. An LSTM has 4
// gates and a GRU 3. The columns of W [inputs, gates * units], of R [units, gates * units] and of the biases are all
// units of the first gate, then all units of the second one, and so on. Each sum is one chain of fused multiply-adds
// (matrix.h) that begins with the bias. An argument of_y and so on is the gradient of the loss with respect to y and so
// on. Beware: of_state of Gru and of GruGradient is not a gradient.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/matrix.h"

namespace carrack::train {

struct RecurrentShape {
  std::int64_t rows = 1;    // sequences of the batch
  std::int64_t steps = 1;   // time steps of each sequence
  std::int64_t inputs = 1;  // values of x at each step
  std::int64_t units = 1;   // values of h at each step
};

// The maximum number of rows that a CPU thread computes at the same time, step by step.
inline constexpr std::int64_t recurrent_rows_max = 112;

// Upper limits of the scratch memory on the CPU, in bytes, except that each array is rounded up to 64 bytes, and
// without the packing memory of products (matrix.h): for one such row, and for the copies of a layer's weights. `gates`
// is 4 for an LSTM and 3 for a GRU.
constexpr double recurrent_row_bytes(std::int64_t inputs, std::int64_t units) {
  return sizeof(float) * (7 * static_cast<double>(units) + static_cast<double>(inputs) + 2);
}
constexpr double recurrent_weights_bytes(std::int64_t inputs, std::int64_t units, std::int64_t gates) {
  const auto width = static_cast<double>(gates * units);
  const double stacked = (2 + static_cast<double>(inputs + units)) * (width + 31);  // rows are padded
  const double transposed = width * (static_cast<double>(units) + 15);
  return sizeof(float) * (stacked + transposed);
}

// The arguments and results (the members that are not const) of lstm(). At each step, with the gates i, f, g, o in this
// order:
//     i, f, o = sigmoid(b + x W + h R);  g = tanh(b + x W + h R);  c = f c + i g;  h = o tanh(c)
// PyTorch and Keras have the gates in the same order; Keras calls the gate g `c`.
struct Lstm {
  const float *x, *w, *r, *bias;
  float* y;      // h
  float* cells;  // c, with the shape of Y
  float* gates;  // [rows, steps, 4 units]: the values of the gates, after their activation functions
};

// The arguments and the result of lstm_gradient(), which computes the gradient of the gates' sums, b + x W + h R, from
// `of_y`, the gradient of Y, and the results of lstm(). For the gradients of W, R and b, see step_inputs().
struct LstmGradient {
  const float *of_y, *cells, *gates, *r;
  float* of_sums;  // [rows, steps, 4 units]
};

// The arguments and results (the members that are not const) of gru(). At each step, with the gates z, r, n in this
// order, where s is state_bias:
//     z, r = sigmoid((b + x W) + (s + h R));  n = tanh((b + x W) + r (s + h R));  h = z h + (1 - z) n
// This is Keras' GRU with reset_after=True. PyTorch has the order r, z, n.
struct Gru {
  const float *x, *w, *r, *bias, *state_bias;
  float* y;         // h
  float* gates;     // [rows, steps, 3 units]: the values of the gates, after their activation functions
  float* of_state;  // s + h R of the gate n, shaped as Y
};

// The arguments and results of gru_gradient(), which computes the gradients of b + x W and of s + h R, from `of_y`, the
// gradient of Y, and the results of gru().
struct GruGradient {
  const float *of_y, *y, *gates, *of_state, *r;
  float *of_input_sums, *of_state_sums;  // [rows, steps, 3 units]
};

namespace cpu {

struct RecurrentOptions {
  // The rows are divided among these threads. Null: the calling thread computes alone.
  ThreadPool* threads = nullptr;
  // The instruction set to use. The functions throw Error with Blame::bug if the machine lacks it.
  GemmLevel level = fastest_level();
};

// Each computing thread retains recurrent_row_bytes() bytes for each of up to recurrent_rows_max rows and the packing
// memory of products until it ends, and the calling thread also recurrent_weights_bytes(). Calls that need no more than
// an earlier one allocate nothing.
void lstm(const RecurrentShape& shape, const Lstm& of, const RecurrentOptions& options = {});
void lstm_gradient(const RecurrentShape& shape, const LstmGradient& of, const RecurrentOptions& options = {});
void gru(const RecurrentShape& shape, const Gru& of, const RecurrentOptions& options = {});
void gru_gradient(const RecurrentShape& shape, const GruGradient& of, const RecurrentOptions& options = {});

// For the gradients of the weights: writes for each step, to `to` [rows, steps, 1 + inputs + units]: 1, then x, then
// the state before the step, which is y of the previous step, or zeros at the first step. The product of the transpose
// of `to` and the gradient of sums (of_sums) has the gradients of the bias, W and R as its rows; the caller computes it
// by gemm(). If shape.inputs is 0, x is not read and may be null.
void step_inputs(const RecurrentShape& shape, const float* x, const float* y, float* to, ThreadPool* threads = nullptr);

}  // namespace cpu

// The same bits on a GPU. All pointers are in its memory; see Stream in device.h. No result may overlap an argument or
// another result.
namespace cuda {

void lstm(Stream& stream, const RecurrentShape& shape, const Lstm& of);
void lstm_gradient(Stream& stream, const RecurrentShape& shape, const LstmGradient& of);
void gru(Stream& stream, const RecurrentShape& shape, const Gru& of);
void gru_gradient(Stream& stream, const RecurrentShape& shape, const GruGradient& of);
void step_inputs(Stream& stream, const RecurrentShape& shape, const float* x, const float* y, float* to);

}  // namespace cuda
}  // namespace carrack::train
