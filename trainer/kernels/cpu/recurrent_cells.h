// The elementwise part of a recurrent layer: one step of some rows. There is a table of functions for each instruction
// set; call nothing in it unless has(level) is true. All tables give the same bits.
//
// Arrays without a stride are dense: [rows, units], or [rows, gates * units] with the units of one gate after another.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

struct LstmStep {
  std::int64_t rows, units;
  const float* sums;  // b + x W + h R of the gates i, f, g, o
  float* h;           // written; rows are `h_stride` apart
  std::int64_t h_stride;
  float* c;  // the cells of the step before; replaced by those of this step
  // Written. Rows of `y` and `cells` are `stride` apart, and rows of `gates` 4 * stride.
  float *y, *cells, *gates;
  std::int64_t stride;
};

struct LstmGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, and rows of `gates` and `of_gates` 4 * stride.
  const float *of_y, *cells, *gates;
  float* of_gates;  // written
  std::int64_t stride;
  const float* cells_before;  // rows are `before_stride` apart
  std::int64_t before_stride;
  const float* of_h;  // the gradient of h from the next step
  float* of_c;        // the gradient of c from the next step; replaced by that for the step before
  float* of_sums;     // written: the same as of_gates, but dense
};

struct GruStep {
  std::int64_t rows, units;
  const float* input_sums;  // b + x W of the gates z, r, n
  const float* state_sums;  // s + h R
  float* h;                 // that of the step before, replaced by this step's; rows are `h_stride` apart
  std::int64_t h_stride;
  // Written. Rows of `y` and `of_state` are `stride` apart, and rows of `gates` 3 * stride.
  float *y, *gates, *of_state;
  std::int64_t stride;
};

struct GruGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, and rows of `gates` and of the two results 3 * stride.
  const float *of_y, *gates, *of_state;
  float *of_input_sums, *of_state_sums;  // written
  std::int64_t stride;
  const float* h_before;  // of the step before; rows are `before_stride` apart
  std::int64_t before_stride;
  float* of_h;     // the gradient of h from the next step; replaced by that for the step before, without R's part
  float* of_sums;  // written: the same as of_state_sums, but dense
};

struct RecurrentCells {
  void (*lstm)(const LstmStep&);
  void (*lstm_gradient)(const LstmGradientStep&);
  void (*gru)(const GruStep&);
  void (*gru_gradient)(const GruGradientStep&);
};

const RecurrentCells& portable_cells();
#if defined(__x86_64__)
const RecurrentCells& avx2_cells();
const RecurrentCells& avx512_cells();
#endif

// The machine must have the level.
const RecurrentCells& cells_of(GemmLevel level);

}  // namespace carrack::train::cpu
