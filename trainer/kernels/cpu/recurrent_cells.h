// The elementwise part of a recurrent layer: one step of some rows. A table of functions for each instruction set; as
// in matrix_kernels.h, nothing in it may be called before has() says so. All have the same bits.
//
// Arrays without a stride are dense: [rows, units], or as many gates behind one another in each row.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

struct LstmStep {
  std::int64_t rows, units;
  const float* sums;  // b + x W + h R of the gates i, f, g, o
  float* h;           // written: rows `h_stride` apart
  std::int64_t h_stride;
  float* c;  // of the step before; replaced
  // Written: rows of `y` and `cells` are `stride` apart, those of `gates` 4 times as much.
  float *y, *cells, *gates;
  std::int64_t stride;
};

struct LstmGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, those of `gates` and `of_gates` 4 times as much.
  const float *of_y, *cells, *gates;
  float* of_gates;  // written
  std::int64_t stride;
  const float* cells_before;  // of the step before, rows `before_stride` apart
  std::int64_t before_stride;
  const float* of_h;  // from the step behind
  float* of_c;        // from the step behind; replaced by what this step gives to the one before
  float* of_sums;     // written: of_gates, but dense
};

struct GruStep {
  std::int64_t rows, units;
  const float* input_sums;  // b + x W of the gates z, r, n
  const float* state_sums;  // s + h R
  float* h;                 // of the step before; replaced: rows `h_stride` apart
  std::int64_t h_stride;
  // Written: rows of `y` and `of_state` are `stride` apart, those of `gates` 3 times as much.
  float *y, *gates, *of_state;
  std::int64_t stride;
};

struct GruGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, those of `gates` and the two results 3 times as much.
  const float *of_y, *gates, *of_state;
  float *of_input_sums, *of_state_sums;  // written
  std::int64_t stride;
  const float* h_before;  // of the step before, rows `before_stride` apart
  std::int64_t before_stride;
  float* of_h;     // from the step behind; replaced by what this step gives to the one before, but through R
  float* of_sums;  // written: of_state_sums, but dense
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

// For a level that the machine has.
const RecurrentCells& cells_of(GemmLevel level);

}  // namespace carrack::train::cpu
