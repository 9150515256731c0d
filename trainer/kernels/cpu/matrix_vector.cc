#include "trainer/kernels/cpu/matrix_vector.h"

#include <algorithm>

#include "trainer/kernels/range.h"

namespace carrack::train::cpu {
namespace {

// Return whether the product is a matrix times a column, or a row times a matrix, with adjacent elements in both the
// vector and the result. They are not always adjacent, because the product may be a part of a larger one.
bool has_column(const Product& product) {
  return product.n == 1 && product.c_row == 1 && product.b.row == 1;
}

bool has_row(const Product& product) {
  return product.m == 1 && product.a.column == 1;
}

// The maximum number of sums (a chunk) that are computed at the same time, so that they stay in the first-level cache.
// The sums of lanes are added along a binary tree (lanes.h). For them, memory has one chunk for each level of the tree,
// with the sums of a finished subtree, and one for the current lane.
constexpr std::int64_t chunk_most = 1024;

// The matrix and the vector of a product, in the same form for a row and for a column. `chains` is
// Kernels::by_rows or by_columns.
struct VectorJob {
  void (*chains)(const VectorProduct&);
  const float* matrix;
  std::int64_t stride;                   // elements from one row of the matrix, as it is stored, to the next
  std::int64_t along_sums, along_steps;  // elements from one sum to the next, and from one step to the next
  const float* vector;
};

void add(float* into, const float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] = values[i] + into[i];
}

// Computes the elements `sums` of the result. `levels` is memory for the sums of lanes, as at chunk_most; null without
// lanes.
void chunk_of(const VectorJob& job, const Product& product, Range sums, Workspace& workspace, float* levels) {
  const std::int64_t count = sums.end - sums.begin;
  float* const c = product.c + sums.begin;
  const float* matrix = job.matrix + sums.begin * job.along_sums;
  if (product.lane_ends.empty()) {
    return job.chains({matrix, job.stride, job.vector, product.k, c, count, product.accumulate});
  }
  const int last = levels_of(product.lane_ends);
  float* const sum = levels + last * chunk_most;
  std::int64_t step = 0;
  for (const Segment& segment : workspace.segments(product.lane_ends, 0, product.k)) {
    job.chains({matrix + step * job.along_steps, job.stride, job.vector + step, segment.steps, sum, count, false});
    for (int level = 0; level < segment.joins; ++level) add(sum, levels + level * chunk_most, count);
    if (segment.level >= 0) std::copy_n(sum, count, levels + segment.level * chunk_most);
    step += segment.steps;
  }
  if (product.accumulate) {
    add(c, sum, count);
  } else {
    std::copy_n(sum, count, c);
  }
}

}  // namespace

bool is_vector_product(const Product& product) {
  return has_column(product) || has_row(product);
}

void multiply_vector(const Kernels& kernels, const Product& product, Workspace& workspace) {
  // In both cases the sums are adjacent in C, so the rest of the code need not distinguish a row from a column.
  const bool column = has_column(product);
  const std::int64_t size = column ? product.m : product.n;
  const MatrixView& matrix = column ? product.a : product.b;
  const std::int64_t along_sums = column ? matrix.row : matrix.column;
  const std::int64_t along_steps = column ? matrix.column : matrix.row;
  const bool by_rows = along_steps == 1;
  const VectorJob job{.chains = by_rows ? kernels.by_rows : kernels.by_columns,
                      .matrix = matrix.data,
                      .stride = by_rows ? along_sums : along_steps,
                      .along_sums = along_sums,
                      .along_steps = along_steps,
                      .vector = column ? product.b.data : product.a.data};
  float* levels =
      product.lane_ends.empty() ? nullptr : workspace.floats((levels_of(product.lane_ends) + 1) * chunk_most);
  for (std::int64_t begin = 0; begin < size; begin += chunk_most) {
    chunk_of(job, product, {begin, std::min(begin + chunk_most, size)}, workspace, levels);
  }
}

}  // namespace carrack::train::cpu
