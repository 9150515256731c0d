// The matrix product on a GPU. cuda::gemm(), convolutions and their weight gradients fill in a Product and call
// multiply(), at the end of this file; the rest is its kernel. Attention, recurrent layers and the input gradients of
// convolutions have kernels of their own, which call for_each_tile() and add_products(). Each sum is one chain of fused
// multiply-adds over ascending steps, as on the CPU (kernels/matrix.h), so its bits depend neither on the tile it is in
// nor on the grid.
//
// An operand may be a matrix in memory (Matrix) or compute its elements, such as the patches of a convolution. It is an
// object with three functions. The places of an operand are the rows of the left operand, or the columns of the right
// one; a step is an index along the sum. line(product, place) returns a Line, which has what is the same for all steps
// of a place. operator()(line, step) returns an element. is_along_steps() is true if neighbours in memory are
// neighbouring steps, and false if they are neighbouring places.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/cuda/sum_of_lanes.cuh"
#include "trainer/kernels/device.h"
#include "trainer/kernels/host_device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// A block of 16 x 16 threads computes a tile. The first 16 threads are in its first row, the next 16 in its second row,
// and so on.
inline constexpr int tile_threads = 16;
// The number of steps of both operands that are in shared memory at the same time.
inline constexpr int tile_steps = 16;

// The size of the results: `products` separate products, [rows, columns] each.
struct ProductSize {
  std::int64_t products, rows, columns;
};

// A part of one product that a block of threads computes.
struct Tile {
  std::int64_t product;        // index of the product
  std::int64_t row, column;    // the first row and column of the tile
  std::int64_t rows, columns;  // those of the whole product
};

// The elements of a tile that one thread computes: `rows` times `columns` elements, each tile_threads rows or columns
// from the next. So neighbouring threads read and write neighbouring elements.
template <int rows, int columns>
struct Sums {
  float at[rows][columns] = {};

  __device__ friend Sums operator+(const Sums& a, const Sums& b) {
    Sums sums;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) sums.at[i][j] = a.at[i][j] + b.at[i][j];
    }
    return sums;
  }

  // Calls function(row, column, element) for the elements of the tile that are inside of the product.
  template <class Function>
  __device__ void for_each(const Tile& tile, const Function& function) {
    for (int i = 0; i < rows; ++i) {
      const std::int64_t row = tile.row + i * tile_threads + threadIdx.x / tile_threads;
      for (int j = 0; j < columns; ++j) {
        const std::int64_t column = tile.column + j * tile_threads + threadIdx.x % tile_threads;
        if (row < tile.rows && column < tile.columns) function(row, column, at[i][j]);
      }
    }
  }
};

// Returns the number of tiles for all products, if a thread computes `rows` x `columns` elements.
template <int rows, int columns>
CARRACK_HOST_DEVICE std::int64_t count_tiles(const ProductSize& size) {
  constexpr std::int64_t height = rows * tile_threads, width = columns * tile_threads;
  return size.products * ((size.rows + height - 1) / height) * ((size.columns + width - 1) / width);
}

// Returns one block for each of `tiles`, but at most 4 blocks for each of the 132 multiprocessors of an H100. `tiles`
// must not be 0.
inline LaunchSize launch_for_tiles(std::int64_t tiles) {
  constexpr std::int64_t blocks_max = 132 * 4;
  return {.blocks = static_cast<unsigned>(std::min(tiles, blocks_max)),
          .threads_per_block = tile_threads * tile_threads};
}

// Calls function(tile) for each tile of this block, in all of its threads.
template <int rows, int columns, class Function>
__device__ void for_each_tile(const ProductSize& size, const Function& function) {
  constexpr std::int64_t height = rows * tile_threads, width = columns * tile_threads;
  const std::int64_t down = (size.rows + height - 1) / height, across = (size.columns + width - 1) / width;
  for (std::int64_t i = blockIdx.x; i < size.products * down * across; i += gridDim.x) {
    const std::int64_t place = i % (down * across);
    function(Tile{i / (down * across), place / across * height, place % across * width, size.rows, size.columns});
  }
}

// Loads the part of an operand that a tile needs: `places` places from `first` on. Places from `end` on are outside of
// the operand, and count as zeros.
template <int places, class Operand>
class OperandPart {
 public:
  __device__ OperandPart(const Operand& operand, std::int64_t product, std::int64_t first, std::int64_t end)
      : operand_(operand), left_(end - first) {
    for (int i = 0; i < lines; ++i) {
      const int place = place_of(i);
      if (place < left_) lines_[i] = operand_.line(product, first + place);
    }
  }

  // Copies `steps` steps to shared memory. Each step has room for one element more than there are places, so that
  // neighbouring steps of a place are in different banks of the memory.
  template <class Shared>
  __device__ void load(Shared& part, std::int64_t first_step, int steps) const {
    for (int i = 0; i < lines; ++i) {
      const int place = place_of(i), step = step_of(i);
      if (step >= steps) continue;
      part[step * (places + 1) + place] = place < left_ ? operand_(lines_[i], first_step + step) : 0.0f;
    }
  }

 private:
  static constexpr int lines = places / tile_threads;

  // The place and the step of element `i` that this thread copies.
  __device__ int place_of(int i) const {
    return operand_.is_along_steps() ? number(i) / tile_steps : number(i) % places;
  }
  __device__ int step_of(int i) const {
    return operand_.is_along_steps() ? number(i) % tile_steps : number(i) / places;
  }
  __device__ static int number(int i) { return static_cast<int>(threadIdx.x) + i * tile_threads * tile_threads; }

  const Operand& operand_;
  std::int64_t left_;
  typename Operand::Line lines_[lines];
};

// Continues the chains of the tile's elements over `steps`. All threads of the block must call it, because it
// synchronizes them.
template <int rows, int columns, class A, class B>
__device__ void add_products(const Tile& tile, Range steps, const A& a, const B& b, Sums<rows, columns>& sums) {
  constexpr int height = rows * tile_threads, width = columns * tile_threads;
  CARRACK_SHARED_ARRAY(float, a_part, tile_steps * (height + 1));
  CARRACK_SHARED_ARRAY(float, b_part, tile_steps * (width + 1));
  const OperandPart<height, A> a_lines(a, tile.product, tile.row, tile.rows);
  const OperandPart<width, B> b_lines(b, tile.product, tile.column, tile.columns);
  const int row = static_cast<int>(threadIdx.x) / tile_threads, column = static_cast<int>(threadIdx.x) % tile_threads;
  for (std::int64_t first = steps.begin; first < steps.end; first += tile_steps) {
    const int count = steps.end - first < tile_steps ? static_cast<int>(steps.end - first) : tile_steps;
    a_lines.load(a_part, first, count);
    b_lines.load(b_part, first, count);
    __syncthreads();
    for (int step = 0; step < count; ++step) {
      float of_column[columns];
      for (int j = 0; j < columns; ++j) of_column[j] = b_part[step * (width + 1) + column + j * tile_threads];
      for (int i = 0; i < rows; ++i) {
        const float of_row = a_part[step * (height + 1) + row + i * tile_threads];
        for (int j = 0; j < columns; ++j) sums.at[i][j] = fmaf(of_row, of_column[j], sums.at[i][j]);
      }
    }
    __syncthreads();
  }
}

// An operand in the memory of the GPU. Distances are in elements.
struct Matrix {
  using Line = const float*;

  const float* data;
  std::int64_t along_places, along_steps;  // from one place, or step, to the next; one of them is usually 1
  std::int64_t along_products = 0;         // from one product to the next; 0: all products use the same matrix

  __device__ bool is_along_steps() const { return along_steps == 1; }
  __device__ Line line(std::int64_t product, std::int64_t place) const {
    return data + product * along_products + place * along_places;
  }
  __device__ float operator()(Line line, std::int64_t step) const { return line[step * along_steps]; }
};

// Where results are written, in the memory of the GPU. The elements of a row are adjacent. Distances are in elements.
struct MatrixResult {
  float* data;
  std::int64_t along_rows;          // from one row to the next
  std::int64_t along_products = 0;  // from one product to the next

  __device__ float& operator()(std::int64_t product, std::int64_t row, std::int64_t column) const {
    return data[product * along_products + row * along_rows + column];
  }
};

// c = a b for each of size.products products. A and B are types of operands.
template <class A, class B>
struct Product {
  ProductSize size;
  std::int64_t steps;  // the inner dimension
  A a;
  B b;
  MatrixResult c;
  bool accumulate = false;  // whether the product is added to c, as in GemmOptions
};

// Computes all tiles. `lane_ends` is empty exactly if has_lanes is false.
template <int rows, int columns, bool has_lanes, class A, class B>
__global__ void product_kernel(Product<A, B> product, LaneEnds lane_ends) {
  for_each_tile<rows, columns>(product.size, [&](const Tile& tile) {
    const MatrixResult& c = product.c;
    Sums<rows, columns> sums;
    if constexpr (has_lanes) {
      sums = sum_of_lanes(lane_ends, product.steps, [&](Range steps) {
        Sums<rows, columns> of_lane;
        add_products(tile, steps, product.a, product.b, of_lane);
        return of_lane;
      });
    } else {
      if (product.accumulate) {
        sums.for_each(tile, [&](auto row, auto column, float& sum) { sum = c(tile.product, row, column); });
      }
      add_products(tile, {0, product.steps}, product.a, product.b, sums);
    }
    sums.for_each(tile, [&](auto row, auto column, float sum) {
      float& result = c(tile.product, row, column);
      result = has_lanes && product.accumulate ? result + sum : sum;
    });
  });
}

template <int side, bool has_lanes, class A, class B>
void multiply_by_tiles(const char* what, Stream& stream, const Product<A, B>& product, const LaneEnds& lane_ends) {
  launch(what, stream.handle(), launch_for_tiles(count_tiles<side, side>(product.size)),
         product_kernel<side, side, has_lanes, A, B>, product, lane_ends);
}

// Starts the kernel in the stream and returns; does nothing if there are no results. Lanes (kernels/lanes.h), if any,
// cut the steps; their sums are added along the tree of lanes. Throws Error with Blame::platform if the kernel cannot
// be started; `what` names it in the message.
template <class A, class B>
void multiply(const char* what, Stream& stream, const Product<A, B>& product, const LaneEnds& lane_ends = {}) {
  if (count_tiles<1, 1>(product.size) == 0) return;
  // With lanes a thread has a stack of sums in local memory, so it computes few elements. Without lanes large tiles
  // read less, unless there are too few of them to keep a GPU busy.
  constexpr std::int64_t large_tiles_min = 64;
  if (!lane_ends.empty()) {
    multiply_by_tiles<2, true>(what, stream, product, lane_ends);
  } else if (count_tiles<4, 4>(product.size) >= large_tiles_min) {
    multiply_by_tiles<4, false>(what, stream, product, lane_ends);
  } else {
    multiply_by_tiles<2, false>(what, stream, product, lane_ends);
  }
}

}  // namespace carrack::train::cuda
