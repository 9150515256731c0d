#include "trainer/kernels/matrix.h"

#include <algorithm>

#include "trainer/error.h"
#include "trainer/kernels/cpu/features.h"
#include "trainer/kernels/cpu/matrix_blocks.h"
#include "trainer/kernels/cpu/matrix_kernels.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rounding.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {
namespace {

// C is cut into rows * columns parts, each for one thread.
struct Grid {
  int rows = 1;
  int columns = 1;
};

// A product with fewer multiplications than this is not faster on two threads than on one.
constexpr double worth_a_thread = 1 << 18;

// Returns the grid whose largest part takes the least time. The thread of each part packs (copies) its rows of A and
// columns of B. The estimate counts packing an element as 8 multiply-adds.
Grid grid_for(const Kernels& kernels, const GemmShape& shape, int threads) {
  const double work = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const int parts = static_cast<int>(std::min<double>(threads, work / worth_a_thread));
  const auto cost = [&](Grid grid) {
    const std::int64_t vectors = divided_up(divided_up(shape.n, kernels.vector), grid.columns);
    const auto rows = static_cast<double>(divided_up(shape.m, grid.rows));
    const auto columns = static_cast<double>(vectors * kernels.vector);
    return rows * columns + 8 * (rows + columns);
  };
  Grid best;
  for (int rows = 1; rows <= parts; ++rows) {
    for (const Grid grid : {Grid{rows, parts / rows}, Grid{rows, 1}}) {
      if (cost(grid) < cost(best)) best = grid;
    }
  }
  return best;
}

// Returns part `index` of n columns that are cut into `parts` parts between whole vectors. Parts may be empty.
Range columns_of(std::int64_t n, std::int64_t vector, int parts, int index) {
  const Range vectors = equal_part(divided_up(n, vector), parts, index);
  return {std::min(n, vectors.begin * vector), std::min(n, vectors.end * vector)};
}

void multiply_on(ThreadPool& threads, const Kernels& kernels, const Product& product, Grid grid) {
  threads.run(grid.rows * grid.columns, [&](int task) {
    const Range rows = equal_part(product.m, grid.rows, task / grid.columns);
    const Range columns = columns_of(product.n, kernels.vector, grid.columns, task % grid.columns);
    Product part = product;
    part.m = rows.size();
    part.n = columns.size();
    part.a.data += rows.begin * product.a.row;
    part.b.data += columns.begin * product.b.column;
    part.c += rows.begin * product.c_row + columns.begin;
    multiply(kernels, part);
  });
}

void multiply(const Kernels& kernels, const GemmShape& shape, const float* a, const float* b, float* c,
              const GemmOptions& options) {
  options.lane_ends.require(shape.k);
  if (shape.m == 0 || shape.n == 0) return;
  const Product product{
      .m = shape.m,
      .n = shape.n,
      .k = shape.k,
      .a = shape.transpose_a ? MatrixView{a, 1, shape.m} : MatrixView{a, shape.k, 1},
      .b = shape.transpose_b ? MatrixView{b, 1, shape.k} : MatrixView{b, shape.n, 1},
      .c = c,
      .c_row = shape.n,
      .accumulate = options.accumulate,
      .lane_ends = options.lane_ends,
  };
  const Grid grid = options.threads ? grid_for(kernels, shape, options.threads->threads()) : Grid{};
  if (grid.rows * grid.columns == 1) return multiply(kernels, product);
  multiply_on(*options.threads, kernels, product, grid);
}

}  // namespace

const Kernels& kernels_of(GemmLevel level) {
  if (!has(level)) throw Error(Blame::bug, "a kernel with instructions that this processor lacks");
#if defined(__x86_64__)
  if (level == GemmLevel::avx512) return avx512_kernels();
  if (level == GemmLevel::avx2) return avx2_kernels();
#endif
  return portable_kernels();
}

void multiply(const Kernels& kernels, const Product& product) {
  thread_local Workspace workspace;
  multiply(kernels, product, workspace);
}

bool has(GemmLevel level) {
  static const CpuFeatures features = features_of_this_processor();
  if (level == GemmLevel::avx512) return features.avx512f;
  if (level == GemmLevel::avx2) return features.avx2 && features.fma;
  return true;
}

GemmLevel fastest_level() {
  static const GemmLevel level = has(GemmLevel::avx512) ? GemmLevel::avx512
                                 : has(GemmLevel::avx2) ? GemmLevel::avx2
                                                        : GemmLevel::portable;
  return level;
}

void gemm(const GemmShape& shape, const float* a, const float* b, float* c, const GemmOptions& options) {
  multiply(kernels_of(fastest_level()), shape, a, b, c, options);
}

void gemm_with(GemmLevel level, const GemmShape& shape, const float* a, const float* b, float* c,
               const GemmOptions& options) {
  multiply(kernels_of(level), shape, a, b, c, options);
}

}  // namespace carrack::train::cpu
