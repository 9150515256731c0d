#include "trainer/kernels/sums.h"

#include <cstddef>

#include "trainer/kernels/cuda/column_sums.cuh"
#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/cuda/row_sums.cuh"
#include "trainer/kernels/cuda/sum_of_lanes.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {
namespace {

// Each block adds up some columns of one of the `outer` matrices. If `inner` is 1, there is only one column. The kernel
// then reads it as rows of partial_sums (16) elements, so the sums of columns are the partial sums of cpu::sum().
__global__ void reduce_sum_kernel(Reduction3 shape, const float* values, float* sums, LaneEnds lane_ends) {
  CARRACK_SHARED_ARRAY(float, tile, tile_size);
  const auto value = [=](std::int64_t at, std::int64_t) { return values[at]; };
  const std::int64_t blocks = column_blocks(shape.inner);
  for (std::int64_t block = blockIdx.x; block < shape.outer * blocks; block += gridDim.x) {
    const std::int64_t outer = block / blocks;
    const Range columns = columns_of_block(block % blocks, shape.inner);
    const float sum = sum_of_lanes(lane_ends, shape.reduced, [&](Range rows) {
      const std::int64_t begin = (outer * shape.reduced + rows.begin) * shape.inner + columns.begin;
      const std::int64_t size = rows.size() * shape.inner;
      if (shape.inner > 1) return sum_of_columns<float>(tile, {begin, size, shape.inner, columns.size()}, value);
      const float partial = sum_of_columns<float>(tile, {begin, size, partial_sums, partial_sums}, value);
      return threadIdx.x < sum_threads ? total_of_partial_sums(partial) : 0.0f;
    });
    if (threadIdx.x < columns.size()) sums[outer * shape.inner + columns.begin + threadIdx.x] = sum;
  }
}

}  // namespace

void reduce_sum(Stream& stream, Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends) {
  const std::int64_t blocks = shape.outer * column_blocks(shape.inner);
  if (blocks == 0) return;
  const LaunchSize size = launch_for(static_cast<std::size_t>(blocks) * column_threads);
  launch("cuda::reduce_sum", stream.handle(), size, reduce_sum_kernel, shape, values, sums, lane_ends);
}

void accumulate(Stream& stream, std::span<float> into, std::span<const float> values) {
  for_each_element("cuda::accumulate", stream, into, values, into, Add{});
}

}  // namespace carrack::train::cuda
