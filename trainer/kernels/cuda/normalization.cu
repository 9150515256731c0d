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
  double* means_in_full;
  float *means, *inverses;                 // by which elements are normalized
  float *record_means, *record_variances;  // means and variances times the number of records of the lane
  float *mean_changes, *shares;            // means for the gradient; they reuse the memory of the two arrays above
  // Sums of each column of a chunk. The gradient has two for each column: of elements, and of products.
  double *chunk_sums, *chunk_products;  // arrays [normalization_chunk_places(), width]
};

// Divides `memory` into the arrays.
LaneColumns lane_columns(const BatchNormalization& by, float* memory) {
  const std::int64_t size = by.lanes() * by.shape.width;
  auto* const doubles = reinterpret_cast<double*>(memory);
  double* const products = doubles + size + normalization_chunk_places(by.shape.rows, by.lanes()) * by.shape.width;
  auto* const floats = reinterpret_cast<float*>(products + (products - doubles - size));
  return {doubles,           floats,         floats + size, floats + 2 * size, floats + 3 * size, floats + 2 * size,
          floats + 3 * size, doubles + size, products};
}

__device__ Range rows_of_lane(const BatchNormalization& by, std::int64_t lane) {
  if (by.lane_ends.empty()) return {0, by.shape.rows};
  const auto number = static_cast<std::size_t>(lane);
  return {lane == 0 ? 0 : by.lane_ends[number - 1], by.lane_ends[number]};
}

// Returns the first place of a lane in arrays of chunks. The places are spaced so that a lane need not know how many
// chunks earlier lanes have; some places have no chunk.
__device__ std::int64_t first_place(const BatchNormalization& by, std::int64_t lane) {
  return rows_of_lane(by, lane).begin / normalization_chunk_rows + lane;
}

// Some columns of a chunk, which a block sums.
struct Part {
  Columns columns;
  std::int64_t in_lanes;   // index of the part's first column in arrays of lanes
  std::int64_t in_chunks;  // index of the same column in arrays of chunks
};

// The blocks of the grid divide all parts among themselves. All threads of a block call function(part) for each of its
// parts.
template <class Function>
__device__ void for_each_part(const BatchNormalization& by, const Function& function) {
  const std::int64_t width = by.shape.width, blocks = column_blocks(width);
  const std::int64_t places = normalization_chunk_places(by.shape.rows, by.lanes());
  for (std::int64_t block = blockIdx.x; block < places * blocks; block += gridDim.x) {
    const std::int64_t place = block / blocks;
    const auto is_before = [&](std::int64_t lane) { return first_place(by, lane) <= place; };
    const std::int64_t lane = partition_point({0, by.lanes()}, is_before) - 1;
    Range rows = rows_of_lane(by, lane);
    rows.begin += (place - first_place(by, lane)) * normalization_chunk_rows;
    if (rows.size() <= 0) continue;
    if (rows.size() > normalization_chunk_rows) rows.end = rows.begin + normalization_chunk_rows;
    const Range columns = columns_of_block(block % blocks, width);
    function(Part{{rows.begin * width + columns.begin, rows.size() * width, width, columns.size()},
                  lane * width + columns.begin,
                  place * width + columns.begin});
  }
}

// Calls function(at, rows, sum) for each column of each lane: with its index in arrays of lanes, and the number of rows
// of the lane. sum(values) returns the sum of the column's values in an array of chunks.
template <class Function>
__device__ void for_each_lane_column(const BatchNormalization& by, const Function& function) {
  const std::int64_t width = by.shape.width;
  for_each_of_grid(static_cast<std::size_t>(by.lanes() * width), [=](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i), lane = at / width;
    const Range rows = rows_of_lane(by, lane);
    const auto sum = [=](const double* of_chunks) {
      const double* from = of_chunks + first_place(by, lane) * width + at % width;
      double all = 0;
      for (std::int64_t row = rows.begin; row < rows.end; row += normalization_chunk_rows, from += width) all += *from;
      return all;
    };
    function(at, rows.size(), sum);
  });
}

__global__ void sums_kernel(BatchNormalization by, const float* x, LaneColumns lanes) {
  CARRACK_SHARED_ARRAY(double, tile, tile_size);
  for_each_part(by, [&](const Part& part) {
    const auto element = [=](std::int64_t at, std::int64_t) { return double{x[at]}; };
    const double sum = sum_of_columns<double>(tile, part.columns, element);
    if (threadIdx.x < part.columns.columns) lanes.chunk_sums[part.in_chunks + threadIdx.x] = sum;
  });
}

__global__ void means_kernel(BatchNormalization by, LaneColumns lanes) {
  for_each_lane_column(by, [=](std::int64_t at, std::int64_t rows, const auto& sum) {
    lanes.means_in_full[at] = sum(lanes.chunk_sums) / static_cast<double>(rows);
  });
}

__global__ void squares_kernel(BatchNormalization by, const float* x, LaneColumns lanes) {
  CARRACK_SHARED_ARRAY(double, tile, tile_size);
  for_each_part(by, [&](const Part& part) {
    const auto square = [=](std::int64_t at, std::int64_t column) {
      const double difference = x[at] - lanes.means_in_full[part.in_lanes + column];
      return difference * difference;
    };
    const double sum = sum_of_columns<double>(tile, part.columns, square);
    if (threadIdx.x < part.columns.columns) lanes.chunk_sums[part.in_chunks + threadIdx.x] = sum;
  });
}

__global__ void moments_kernel(BatchNormalization by, LaneColumns lanes) {
  for_each_lane_column(by, [=](std::int64_t at, std::int64_t rows, const auto& sum) {
    const double mean = lanes.means_in_full[at], variance = sum(lanes.chunk_sums) / static_cast<double>(rows);
    const auto records = static_cast<double>(rows / by.rows_per_record);
    lanes.means[at] = static_cast<float>(mean);
    lanes.inverses[at] = static_cast<float>(1 / std::sqrt(variance + by.epsilon));
    lanes.record_means[at] = rows == 0 ? 0.0f : static_cast<float>(mean * records);
    lanes.record_variances[at] = rows == 0 ? 0.0f : static_cast<float>(variance * records);
  });
}

// Returns the sum over lanes of a column's values, added along the tree of lanes (lanes.h). sum_of_lanes() calls its
// function once for each lane, in order, so each call moves `at` on to the next lane.
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

__global__ void gradient_sums_kernel(BatchNormalization by, LaneColumns lanes, const float* of_normalized,
                                     const float* x) {
  CARRACK_SHARED_ARRAY(double, tile, tile_size);
  for_each_part(by, [&](const Part& part) {
    const auto gradient = [=](std::int64_t at, std::int64_t) { return double{of_normalized[at]}; };
    const auto product = [=](std::int64_t at, std::int64_t column) {
      const std::int64_t in_lanes = part.in_lanes + column;
      const float normalized = normalized_of(x[at], lanes.means[in_lanes], lanes.inverses[in_lanes]);
      return double{of_normalized[at]} * double{normalized};
    };
    const double sum = sum_of_columns<double>(tile, part.columns, gradient);
    const double products = sum_of_columns<double>(tile, part.columns, product);
    if (threadIdx.x >= part.columns.columns) return;
    lanes.chunk_sums[part.in_chunks + threadIdx.x] = sum;
    lanes.chunk_products[part.in_chunks + threadIdx.x] = products;
  });
}

__global__ void gradient_means_kernel(BatchNormalization by, LaneColumns lanes) {
  for_each_lane_column(by, [=](std::int64_t at, std::int64_t rows, const auto& sum) {
    const auto count = static_cast<double>(rows);
    lanes.mean_changes[at] = static_cast<float>(sum(lanes.chunk_sums) / count);
    lanes.shares[at] = static_cast<float>(sum(lanes.chunk_products) / count);
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
  const std::int64_t places = normalization_chunk_places(by.shape.rows, by.lanes());
  return launch_for(static_cast<std::size_t>(places * column_blocks(by.shape.width)) * column_threads);
}

// Computes the means and inverses by which columns are normalized. The width must not be 0.
void find_moments(const char* what, Stream& stream, const BatchNormalization& by, const float* x,
                  const LaneColumns& lanes) {
  const LaunchSize by_lane_columns = launch_for(static_cast<std::size_t>(by.lanes() * by.shape.width));
  launch(what, stream.handle(), launch_for_parts(by), sums_kernel, by, x, lanes);
  launch(what, stream.handle(), by_lane_columns, means_kernel, by, lanes);
  launch(what, stream.handle(), launch_for_parts(by), squares_kernel, by, x, lanes);
  launch(what, stream.handle(), by_lane_columns, moments_kernel, by, lanes);
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
  find_moments(what, stream, by, x, lanes);
  launch(what, stream.handle(), launch_for(width), add_moments_kernel, by, lanes, moments);
  if (size > 0) launch(what, stream.handle(), launch_for(size), normalize_kernel, by, lanes, x, normalized);
}

void batch_normalization_gradient(Stream& stream, const BatchNormalization& by, const float* of_normalized,
                                  const float* x, float* of_x, float* memory) {
  constexpr const char* what = "cuda::batch_normalization_gradient";
  const auto size = static_cast<std::size_t>(by.shape.rows * by.shape.width);
  if (size == 0) return;
  const LaneColumns lanes = lane_columns(by, memory);
  find_moments(what, stream, by, x, lanes);
  launch(what, stream.handle(), launch_for_parts(by), gradient_sums_kernel, by, lanes, of_normalized, x);
  launch(what, stream.handle(), launch_for(static_cast<std::size_t>(by.lanes() * by.shape.width)),
         gradient_means_kernel, by, lanes);
  launch(what, stream.handle(), launch_for(size), gradient_kernel, by, lanes, of_normalized, x, of_x);
}

}  // namespace carrack::train::cuda
