#include "trainer/kernels/normalization.h"

#include <cmath>
#include <cstddef>

#include "trainer/kernels/cuda/column_sums.cuh"
#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/cuda/row_sums.cuh"
#include "trainer/kernels/cuda/search.cuh"
#include "trainer/kernels/cuda/sum_of_lanes.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {
namespace {

__global__ void layer_kernel(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation) {
  for_each_row<sum_threads>(shape.rows, [=](std::int64_t row, unsigned thread) {
    const float* const from = x + row * shape.width;
    const float count = static_cast<float>(shape.width);
    const float mean = sum_of_row(shape.width, [=](std::int64_t i) { return from[i]; }) / count;
    const auto square = [=](std::int64_t i) { return (from[i] - mean) * (from[i] - mean); };
    const float variance = sum_of_row(shape.width, square) / count;
    const float inverse = 1.0f / std::sqrt(variance + epsilon);
    if (thread == 0) inverse_deviation[row] = inverse;
    for (std::int64_t i = thread; i < shape.width; i += sum_threads) {
      normalized[row * shape.width + i] = normalized_of(from[i], mean, inverse);
    }
  });
}

__global__ void layer_gradient_kernel(Table shape, const float* of_normalized, const float* normalized,
                                      const float* inverse_deviation, float* of_x) {
  for_each_row<sum_threads>(shape.rows, [=](std::int64_t row, unsigned thread) {
    const std::int64_t begin = row * shape.width;
    const float *const of = of_normalized + begin, *const by = normalized + begin;
    const float count = static_cast<float>(shape.width);
    const float mean = sum_of_row(shape.width, [=](std::int64_t i) { return of[i]; }) / count;
    const float along = sum_of_row(shape.width, [=](std::int64_t i) { return of[i] * by[i]; }) / count;
    for (std::int64_t i = thread; i < shape.width; i += sum_threads) {
      of_x[begin + i] = gradient_before_normalization(inverse_deviation[row], of[i], mean, by[i], along);
    }
  });
}

// What is computed for each column of each lane: arrays [lanes, width].
struct LaneColumns {
  float *means, *inverses;                 // by which elements are normalized
  float *record_means, *record_variances;  // means and variances times the number of records of the lane
  float *mean_changes, *shares;            // means for the gradient; they reuse the memory of the two arrays above
};

LaneColumns lane_columns(const BatchNormalization& by, float* memory) {
  const std::int64_t size = by.lanes() * by.shape.width;
  return {memory, memory + size, memory + 2 * size, memory + 3 * size, memory + 2 * size, memory + 3 * size};
}

// Some columns of a lane, which a block computes.
struct Part {
  Range rows;
  Columns columns;
  std::int64_t in_lanes;  // index in the arrays of LaneColumns of the part's first column
};

// Calls function(part) in all threads of a block, for all parts, whatever the size of the grid.
template <class Function>
__device__ void for_each_part(const BatchNormalization& by, const Function& function) {
  const std::int64_t width = by.shape.width, blocks = column_blocks(width);
  for (std::int64_t block = blockIdx.x; block < by.lanes() * blocks; block += gridDim.x) {
    const auto lane = static_cast<std::size_t>(block / blocks);
    Range rows{0, by.shape.rows};
    if (!by.lane_ends.empty()) rows = {lane == 0 ? 0 : by.lane_ends[lane - 1], by.lane_ends[lane]};
    const Range columns = columns_of_block(block % blocks, width);
    function(Part{rows,
                  {rows.begin * width + columns.begin, rows.size() * width, width, columns.size()},
                  static_cast<std::int64_t>(lane) * width + columns.begin});
  }
}

__global__ void moments_kernel(BatchNormalization by, const float* x, LaneColumns lanes) {
  CARRACK_SHARED_ARRAY(double, tile, tile_size);
  CARRACK_SHARED_ARRAY(double, means, tile_columns);
  for_each_part(by, [&](const Part& part) {
    const auto rows = static_cast<double>(part.rows.size());
    const auto element = [=](std::int64_t at, std::int64_t) { return double{x[at]}; };
    const double mean = sum_of_columns<double>(tile, part.columns, element) / rows;
    if (threadIdx.x < tile_columns) means[threadIdx.x] = mean;
    __syncthreads();
    const auto square = [&](std::int64_t at, std::int64_t column) {
      const double difference = x[at] - means[column];
      return difference * difference;
    };
    const double variance = sum_of_columns<double>(tile, part.columns, square) / rows;
    if (threadIdx.x >= part.columns.columns) return;
    const std::int64_t at = part.in_lanes + threadIdx.x;
    const auto records = static_cast<double>(part.rows.size() / by.rows_per_record);
    const bool is_empty = part.rows.size() == 0;
    lanes.means[at] = static_cast<float>(mean);
    lanes.inverses[at] = static_cast<float>(1 / std::sqrt(variance + by.epsilon));
    lanes.record_means[at] = is_empty ? 0.0f : static_cast<float>(mean * records);
    lanes.record_variances[at] = is_empty ? 0.0f : static_cast<float>(variance * records);
  });
}

// Returns the sum over lanes of a column's values, added along the tree of lanes.
__device__ float sum_of_lane_values(const BatchNormalization& by, const float* values, std::int64_t column) {
  std::int64_t at = column - by.shape.width;
  return sum_of_lanes(by.lane_ends, by.shape.rows, [&](Range) { return values[at += by.shape.width]; });
}

__global__ void add_moments_kernel(BatchNormalization by, LaneColumns lanes, Moments moments) {
  for_each_of_grid(static_cast<std::size_t>(by.shape.width), [=](std::size_t i) {
    moments.means[i] = sum_of_lane_values(by, lanes.record_means, static_cast<std::int64_t>(i));
    moments.variances[i] = sum_of_lane_values(by, lanes.record_variances, static_cast<std::int64_t>(i));
  });
}

// Returns the index, in the arrays of LaneColumns, of the lane and column of element `i`.
__device__ std::int64_t place_in_lanes(const BatchNormalization& by, std::int64_t i) {
  const std::int64_t row = i / by.shape.width, column = i % by.shape.width;
  const Range lanes{0, static_cast<std::int64_t>(by.lane_ends.size())};
  const auto ends_before = [&](std::int64_t lane) { return by.lane_ends[static_cast<std::size_t>(lane)] <= row; };
  return partition_point(lanes, ends_before) * by.shape.width + column;
}

__global__ void normalize_kernel(BatchNormalization by, LaneColumns lanes, const float* x, float* normalized) {
  for_each_of_grid(static_cast<std::size_t>(by.shape.rows * by.shape.width), [=](std::size_t i) {
    const std::int64_t at = place_in_lanes(by, static_cast<std::int64_t>(i));
    normalized[i] = normalized_of(x[i], lanes.means[at], lanes.inverses[at]);
  });
}

__global__ void gradient_means_kernel(BatchNormalization by, LaneColumns lanes, const float* of_normalized,
                                      const float* x) {
  CARRACK_SHARED_ARRAY(double, tile, tile_size);
  for_each_part(by, [&](const Part& part) {
    const auto rows = static_cast<double>(part.rows.size());
    const auto gradient = [=](std::int64_t at, std::int64_t) { return double{of_normalized[at]}; };
    const auto product = [=](std::int64_t at, std::int64_t column) {
      const std::int64_t in_lanes = part.in_lanes + column;
      const float normalized = normalized_of(x[at], lanes.means[in_lanes], lanes.inverses[in_lanes]);
      return double{of_normalized[at]} * double{normalized};
    };
    const double mean = sum_of_columns<double>(tile, part.columns, gradient) / rows;
    const double along = sum_of_columns<double>(tile, part.columns, product) / rows;
    if (threadIdx.x >= part.columns.columns) return;
    lanes.mean_changes[part.in_lanes + threadIdx.x] = static_cast<float>(mean);
    lanes.shares[part.in_lanes + threadIdx.x] = static_cast<float>(along);
  });
}

__global__ void gradient_kernel(BatchNormalization by, LaneColumns lanes, const float* of_normalized, const float* x,
                                float* of_x) {
  for_each_of_grid(static_cast<std::size_t>(by.shape.rows * by.shape.width), [=](std::size_t i) {
    const std::int64_t at = place_in_lanes(by, static_cast<std::int64_t>(i));
    const float normalized = normalized_of(x[i], lanes.means[at], lanes.inverses[at]);
    of_x[i] = gradient_before_normalization(lanes.inverses[at], of_normalized[i], lanes.mean_changes[at], normalized,
                                            lanes.shares[at]);
  });
}

LaunchSize launch_for_rows(Table shape) {
  return launch_for(static_cast<std::size_t>(shape.rows) * sum_threads);
}

LaunchSize launch_for_parts(const BatchNormalization& by) {
  return launch_for(static_cast<std::size_t>(by.lanes() * column_blocks(by.shape.width)) * column_threads);
}

}  // namespace

void layer_normalization(Stream& stream, Table shape, float epsilon, const float* x, float* normalized,
                         float* inverse_deviation) {
  if (shape.rows == 0) return;
  launch("cuda::layer_normalization", stream.handle(), launch_for_rows(shape), layer_kernel, shape, epsilon, x,
         normalized, inverse_deviation);
}

void layer_normalization_gradient(Stream& stream, Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x) {
  if (shape.rows == 0) return;
  launch("cuda::layer_normalization_gradient", stream.handle(), launch_for_rows(shape), layer_gradient_kernel, shape,
         of_normalized, normalized, inverse_deviation, of_x);
}

void batch_normalization(Stream& stream, const BatchNormalization& by, const float* x, float* normalized,
                         Moments moments, float* memory) {
  constexpr const char* what = "cuda::batch_normalization";
  if (by.shape.width == 0) return;
  const LaneColumns lanes = lane_columns(by, memory);
  const auto width = static_cast<std::size_t>(by.shape.width), size = static_cast<std::size_t>(by.shape.rows) * width;
  launch(what, stream.handle(), launch_for_parts(by), moments_kernel, by, x, lanes);
  launch(what, stream.handle(), launch_for(width), add_moments_kernel, by, lanes, moments);
  if (size > 0) launch(what, stream.handle(), launch_for(size), normalize_kernel, by, lanes, x, normalized);
}

void batch_normalization_gradient(Stream& stream, const BatchNormalization& by, const float* of_normalized,
                                  const float* x, float* of_x, float* memory) {
  constexpr const char* what = "cuda::batch_normalization_gradient";
  const auto size = static_cast<std::size_t>(by.shape.rows * by.shape.width);
  if (size == 0) return;
  const LaneColumns lanes = lane_columns(by, memory);
  launch(what, stream.handle(), launch_for_parts(by), moments_kernel, by, x, lanes);
  launch(what, stream.handle(), launch_for_parts(by), gradient_means_kernel, by, lanes, of_normalized, x);
  launch(what, stream.handle(), launch_for(size), gradient_kernel, by, lanes, of_normalized, x, of_x);
}

}  // namespace carrack::train::cuda
