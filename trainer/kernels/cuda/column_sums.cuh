// Device code that sums each column of a matrix, in the order of the rows, so that the bits are those of the CPU. The
// kernels of reduce_sum() (sums.h) and of batch normalization use it. Only one thread can add up a column in this
// order, so all threads of a block read elements into shared memory for the few threads that add.
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/host_device.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// The kernel must be launched with column_threads threads in each block. A block sums at most tile_columns columns,
// tile_rows rows at a time.
inline constexpr unsigned column_threads = LaunchSize{}.threads_per_block;
inline constexpr std::int64_t tile_columns = 32, tile_rows = 64;
inline constexpr std::int64_t tile_size = tile_columns * tile_rows;

// Returns the number of blocks that `columns` columns need.
CARRACK_HOST_DEVICE inline std::int64_t column_blocks(std::int64_t columns) {
  return (columns + tile_columns - 1) / tile_columns;
}

// Returns the columns that block number `block`, from 0, of `columns` columns sums.
CARRACK_HOST_DEVICE inline Range columns_of_block(std::int64_t block, std::int64_t columns) {
  const std::int64_t begin = block * tile_columns, rest = columns - begin;
  return {begin, begin + (rest < tile_columns ? rest : tile_columns)};
}

// The part of a matrix that one block sums: `columns` neighbouring columns. For columns 32 to 63 of a matrix [100, 80]:
// {.begin = 32, .size = 8000, .stride = 80, .columns = 32}.
struct Columns {
  std::int64_t begin;    // index of the first element of the first row
  std::int64_t size;     // elements below begin + size are summed; so the last row may have fewer than `columns`
  std::int64_t stride;   // elements from the beginning of a row to that of the next one
  std::int64_t columns;  // at most tile_columns
};

// Returns, in thread i of the block, the sum of column i, or 0 if there is no column i. Each value to add is
// value(element, i), where `element` is its index, such as begin + 3 * stride + i for row 3. All threads of the block
// must call this. `tile` is an array of tile_size elements in shared memory. Missing rows of a tile count as zeros,
// which change no bit, because a sum that begins with 0 is never -0.
template <class Sum, class Tile, class Value>
__device__ Sum sum_of_columns(Tile& tile, const Columns& of, const Value& value) {
  const std::int64_t column = threadIdx.x % tile_columns;
  Sum sum = 0;
  for (std::int64_t first = 0; first * of.stride < of.size; first += tile_rows) {
    for (std::int64_t row = threadIdx.x / tile_columns; row < tile_rows; row += column_threads / tile_columns) {
      const std::int64_t at = (first + row) * of.stride + column;
      const bool is_inside = column < of.columns && at < of.size;
      tile[row * tile_columns + column] = is_inside ? Sum{value(of.begin + at, column)} : Sum{0};
    }
    __syncthreads();
    if (threadIdx.x < tile_columns) {
      for (std::int64_t row = 0; row < tile_rows; ++row) sum += tile[row * tile_columns + column];
    }
    __syncthreads();
  }
  return sum;
}

}  // namespace carrack::train::cuda
