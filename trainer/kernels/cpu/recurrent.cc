#include "trainer/kernels/recurrent.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "trainer/kernels/cpu/matrix_blocks.h"
#include "trainer/kernels/cpu/recurrent_cells.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rounding.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {
namespace {

// The maximum number of rows of a block, which one thread computes step by step. With so few rows, their sums stay in
// the cache from the product to the cells, and products read the weights without packing them again at each step
// (matrix_blocks.cc).
constexpr std::int64_t rows_most = recurrent_rows_max;
// The minimum number of rows for a thread. With fewer rows, reading all weights would take a thread more time than it
// saves.
constexpr std::int64_t rows_least = 8;

// Calls function(rows) for blocks that make up all rows, divided among threads.
template <class Function>
void for_blocks(std::int64_t rows, ThreadPool* threads, const Function& function) {
  const std::int64_t parts = std::min<std::int64_t>(threads ? threads->threads() : 1, divided_up(rows, rows_least));
  if (parts == 0) return;
  const std::int64_t blocks = rounded_up(divided_up(rows, rows_most), parts);
  const auto block = [&](int index) { function(equal_part(rows, blocks, index)); };
  if (parts > 1) return threads->run(static_cast<int>(blocks), block);
  for (int index = 0; index < blocks; ++index) block(index);
}

// Arrays for a block, in memory of the calling thread. Each begins at a multiple of 64 bytes.
class Arrays {
 public:
  // `sizes` are numbers of floats, in the order of the calls of take(). The arrays are valid until the thread makes
  // another object of this class.
  explicit Arrays(std::initializer_list<std::int64_t> sizes) {
    thread_local Workspace workspace;
    std::int64_t all = 0;
    for (const std::int64_t size : sizes) all += rounded_up(size, 16);
    next_ = workspace.floats(all);
  }
  float* take(std::int64_t size) { return std::exchange(next_, next_ + rounded_up(size, 16)); }

 private:
  float* next_;
};

// Returns the transpose of R, which has `width` columns: [width, units]. The result is valid until the thread's next
// call.
MatrixView transposed(const Kernels& kernels, const float* r, std::int64_t units, std::int64_t width) {
  thread_local Workspace workspace;
  const std::int64_t padded = rounded_up(units, kernels.vector);
  float* const to = workspace.floats(width * padded);
  kernels.transpose({.source = r,
                     .stride = width,
                     .width = units,
                     .steps = width,
                     .panel_width = units,
                     .padded = padded,
                     .panels = to});
  return {to, padded, 1};
}

// The weights of all terms that a step adds up: the bias, W, the bias of the state (only in a GRU), and R.
struct Weights {
  const float *bias, *w, *state_bias, *r;  // an LSTM has no state_bias: null
};
// Returns the weights as one matrix, one below the other. The result is valid until the thread's next call.
MatrixView stacked(const RecurrentShape& shape, const Weights& weights, std::int64_t width) {
  thread_local Workspace workspace;
  // Widths are often powers of two. Rows would then be a multiple of 4 KiB apart, and compete for the same few sets of
  // the first-level cache. So each row gets 16 more floats.
  const std::int64_t stride = rounded_up(width, 16) + 16;
  float* to = workspace.floats((2 + shape.inputs + shape.units) * stride);
  const MatrixView view{to, stride, 1};
  const auto append = [&](const float* rows, std::int64_t count) {
    for (; count > 0; --count, rows += width, to += stride) std::copy_n(rows, width, to);
  };
  append(weights.bias, 1);
  append(weights.w, shape.inputs);
  append(weights.state_bias, weights.state_bias ? 1 : 0);
  append(weights.r, shape.units);
  return view;
}

// What the functions for blocks of rows share: where the rows are at each step, and products with them.
struct Walk {
  const Kernels& kernels;
  const RecurrentShape& shape;
  Range rows;

  // The distance from one row of Y to the next.
  std::int64_t stride() const { return shape.steps * shape.units; }
  // The index of the block's first row at `step`, in an array [rows * steps, ...].
  std::int64_t at(std::int64_t step) const { return rows.begin * shape.steps + step; }

  // Copies the inputs of all rows at `step` to the rows of `to`, which are `to_stride` floats apart.
  void copy_inputs(std::int64_t step, const float* x, float* to, std::int64_t to_stride) const {
    x += at(step) * shape.inputs;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      std::copy_n(x + row * shape.steps * shape.inputs, shape.inputs, to + row * to_stride);
    }
  }
  // c [rows, n] = a [rows, k] b, or c += a b with `accumulate`
  void multiply_by(MatrixView b, MatrixView a, std::int64_t k, float* c, std::int64_t n,
                   bool accumulate = false) const {
    multiply(kernels, {.m = rows.size(),
                       .n = n,
                       .k = k,
                       .a = a,
                       .b = b,
                       .c = c,
                       .c_row = n,
                       .accumulate = accumulate,
                       .lane_ends = {}});
  }
};

void fill_column(float* column, std::int64_t stride, std::int64_t rows, float value) {
  for (std::int64_t row = 0; row < rows; ++row) column[row * stride] = value;
}

// Computes a block of rows of an LSTM, step by step. `weights` are stacked(): [1 + inputs + units, 4 units]. The first
// step leaves out R, because the state is then zero.
void lstm_of_block(const Walk& walk, const Lstm& of, MatrixView weights, const RecurrentCells& cells) {
  const std::int64_t rows = walk.rows.size(), units = walk.shape.units, inputs = walk.shape.inputs;
  const std::int64_t terms = 1 + inputs + units;
  Arrays arrays({4 * rows * units, rows * units, rows * terms});
  float* const sums = arrays.take(4 * rows * units);
  float* const c = arrays.take(rows * units);
  float* const joined = arrays.take(rows * terms);  // 1, x, h
  std::fill_n(c, rows * units, 0.0f);
  fill_column(joined, terms, rows, 1);
  for (std::int64_t step = 0; step < walk.shape.steps; ++step) {
    walk.copy_inputs(step, of.x, joined + 1, terms);
    walk.multiply_by(weights, {joined, terms, 1}, step == 0 ? 1 + inputs : terms, sums, 4 * units);
    const std::int64_t at = walk.at(step) * units;
    cells.lstm({.rows = rows,
                .units = units,
                .sums = sums,
                .h = joined + 1 + inputs,
                .h_stride = terms,
                .c = c,
                .y = of.y + at,
                .cells = of.cells + at,
                .gates = of.gates + 4 * at,
                .stride = walk.stride()});
  }
}

// Computes the gradient of a block of rows, from the last step to the first. `r` is transposed().
void lstm_gradient_of_block(const Walk& walk, const LstmGradient& of, MatrixView r, const RecurrentCells& cells) {
  const std::int64_t rows = walk.rows.size(), units = walk.shape.units;
  Arrays arrays({4 * rows * units, rows * units, rows * units, units});
  float* const of_sums = arrays.take(4 * rows * units);
  float* const of_h = arrays.take(rows * units);
  float* const of_c = arrays.take(rows * units);
  float* const zeros = arrays.take(units);
  std::fill_n(of_h, rows * units, 0.0f);
  std::fill_n(of_c, rows * units, 0.0f);
  std::fill_n(zeros, units, 0.0f);
  for (std::int64_t step = walk.shape.steps - 1; step >= 0; --step) {
    const std::int64_t at = walk.at(step) * units;
    cells.lstm_gradient({.rows = rows,
                         .units = units,
                         .of_y = of.of_y + at,
                         .cells = of.cells + at,
                         .gates = of.gates + 4 * at,
                         .of_gates = of.of_sums + 4 * at,
                         .stride = walk.stride(),
                         .cells_before = step > 0 ? of.cells + at - units : zeros,
                         .before_stride = step > 0 ? walk.stride() : 0,
                         .of_h = of_h,
                         .of_c = of_c,
                         .of_sums = of_sums});
    if (step > 0) walk.multiply_by(r, {of_sums, 4 * units, 1}, 4 * units, of_h, units);
  }
}

// Computes a block of rows of a GRU, step by step. `weights` are stacked(): [1 + inputs + 1 + units, 3 units]. The
// first step leaves out R, because the state is then zero.
void gru_of_block(const Walk& walk, const Gru& of, MatrixView weights, const RecurrentCells& cells) {
  const std::int64_t rows = walk.rows.size(), units = walk.shape.units, inputs = walk.shape.inputs;
  const std::int64_t terms = 1 + inputs + 1 + units;
  Arrays arrays({3 * rows * units, 3 * rows * units, rows * terms});
  float* const input_sums = arrays.take(3 * rows * units);
  float* const state_sums = arrays.take(3 * rows * units);
  float* const joined = arrays.take(rows * terms);  // 1, x, 1, h
  float* const state = joined + 1 + inputs;
  fill_column(joined, terms, rows, 1);
  for (std::int64_t row = 0; row < rows; ++row) std::fill_n(state + row * terms + 1, units, 0.0f);
  fill_column(state, terms, rows, 1);
  const MatrixView state_weights{weights.data + (1 + inputs) * weights.row, weights.row, 1};
  for (std::int64_t step = 0; step < walk.shape.steps; ++step) {
    walk.copy_inputs(step, of.x, joined + 1, terms);
    walk.multiply_by(weights, {joined, terms, 1}, 1 + inputs, input_sums, 3 * units);
    walk.multiply_by(state_weights, {state, terms, 1}, step == 0 ? 1 : 1 + units, state_sums, 3 * units);
    const std::int64_t at = walk.at(step) * units;
    cells.gru({.rows = rows,
               .units = units,
               .input_sums = input_sums,
               .state_sums = state_sums,
               .h = state + 1,
               .h_stride = terms,
               .y = of.y + at,
               .gates = of.gates + 3 * at,
               .of_state = of.of_state + at,
               .stride = walk.stride()});
  }
}

// Computes the gradient of a block of rows, from the last step to the first. `r` is transposed().
void gru_gradient_of_block(const Walk& walk, const GruGradient& of, MatrixView r, const RecurrentCells& cells) {
  const std::int64_t rows = walk.rows.size(), units = walk.shape.units;
  Arrays arrays({3 * rows * units, rows * units, units});
  float* const of_sums = arrays.take(3 * rows * units);
  float* const of_h = arrays.take(rows * units);
  float* const zeros = arrays.take(units);
  std::fill_n(of_h, rows * units, 0.0f);
  std::fill_n(zeros, units, 0.0f);
  for (std::int64_t step = walk.shape.steps - 1; step >= 0; --step) {
    const std::int64_t at = walk.at(step) * units;
    cells.gru_gradient({.rows = rows,
                        .units = units,
                        .of_y = of.of_y + at,
                        .gates = of.gates + 3 * at,
                        .of_state = of.of_state + at,
                        .of_input_sums = of.of_input_sums + 3 * at,
                        .of_state_sums = of.of_state_sums + 3 * at,
                        .stride = walk.stride(),
                        .h_before = step > 0 ? of.y + at - units : zeros,
                        .before_stride = step > 0 ? walk.stride() : 0,
                        .of_h = of_h,
                        .of_sums = of_sums});
    if (step > 0) walk.multiply_by(r, {of_sums, 3 * units, 1}, 3 * units, of_h, units, true);
  }
}

}  // namespace

const RecurrentCells& cells_of(GemmLevel level) {
#if defined(__x86_64__)
  if (level == GemmLevel::avx512) return avx512_cells();
  if (level == GemmLevel::avx2) return avx2_cells();
#endif
  return portable_cells();
}

void lstm(const RecurrentShape& shape, const Lstm& of, const RecurrentOptions& options) {
  const Kernels& kernels = kernels_of(options.level);
  const MatrixView weights = stacked(shape, {of.bias, of.w, nullptr, of.r}, 4 * shape.units);
  for_blocks(shape.rows, options.threads, [&](Range rows) {
    lstm_of_block({kernels, shape, rows}, of, weights, cells_of(options.level));
  });
}

void lstm_gradient(const RecurrentShape& shape, const LstmGradient& of, const RecurrentOptions& options) {
  const Kernels& kernels = kernels_of(options.level);
  const MatrixView r = transposed(kernels, of.r, shape.units, 4 * shape.units);
  for_blocks(shape.rows, options.threads, [&](Range rows) {
    lstm_gradient_of_block({kernels, shape, rows}, of, r, cells_of(options.level));
  });
}

void gru(const RecurrentShape& shape, const Gru& of, const RecurrentOptions& options) {
  const Kernels& kernels = kernels_of(options.level);
  const MatrixView weights = stacked(shape, {of.bias, of.w, of.state_bias, of.r}, 3 * shape.units);
  for_blocks(shape.rows, options.threads, [&](Range rows) {
    gru_of_block({kernels, shape, rows}, of, weights, cells_of(options.level));
  });
}

void gru_gradient(const RecurrentShape& shape, const GruGradient& of, const RecurrentOptions& options) {
  const Kernels& kernels = kernels_of(options.level);
  const MatrixView r = transposed(kernels, of.r, shape.units, 3 * shape.units);
  for_blocks(shape.rows, options.threads, [&](Range rows) {
    gru_gradient_of_block({kernels, shape, rows}, of, r, cells_of(options.level));
  });
}

void step_inputs(const RecurrentShape& shape, const float* x, const float* y, float* to, ThreadPool* threads) {
  for_blocks(shape.rows, threads, [&](Range rows) {
    const std::int64_t terms = 1 + shape.inputs + shape.units;
    for (std::int64_t at = rows.begin * shape.steps; at < rows.end * shape.steps; ++at) {
      float* next = to + at * terms;
      *next++ = 1;
      next = std::copy_n(x + at * shape.inputs, shape.inputs, next);
      if (at % shape.steps == 0) {
        std::fill_n(next, shape.units, 0.0f);
      } else {
        std::copy_n(y + (at - 1) * shape.units, shape.units, next);
      }
    }
  });
}

}  // namespace carrack::train::cpu
