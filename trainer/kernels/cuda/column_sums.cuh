// Sums of columns in the order of the rows. As only one thread can add up a column in this order, all threads of a
// block read the elements for those that add.
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/host_device.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// A block of column_threads adds up at most tile_columns, and its shared memory has elements of so many rows.
inline constexpr unsigned column_threads = LaunchSize{}.threads_per_block;
inline constexpr std::int64_t tile_columns = 32, tile_rows = 64;
inline constexpr std::int64_t tile_size = tile_columns * tile_rows;

// How many blocks it takes for so many columns.
CARRACK_HOST_DEVICE inline std::int64_t column_blocks(std::int64_t columns) {
  return (columns + tile_columns - 1) / tile_columns;
}

// The columns of block number `block`.
CARRACK_HOST_DEVICE inline Range columns_of_block(std::int64_t block, std::int64_t columns) {
  const std::int64_t begin = block * tile_columns, rest = columns - begin;
  return {begin, begin + (rest < tile_columns ? rest : tile_columns)};
}

// The first `columns` elements of rows that are `stride` apart. Rows end after `size` elements, maybe within the last.
struct Columns {
  std::int64_t begin;  // the first element
  std::int64_t size;
  std::int64_t stride;
  std::int64_t columns;
};

// Thread i of the block gets the sum of value(element, i) over the rows, if there is a column i; others get 0. All
// threads of the block call it. `tile` is an array of tile_size in shared memory. Zeros that fill its last rows change
// no bit, as a sum that begins with 0 is never -0.
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
