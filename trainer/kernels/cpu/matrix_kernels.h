// What the matrix product needs of an instruction set: a table of functions, one table for each level. The files that
// define one are compiled for its instructions, so nothing in it may be called before has() says so.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

// A run of steps along k, and what becomes of the sums behind it.
struct Segment {
  std::int64_t steps;
  // The lane ends here: the sums of this many finished subtrees, those of the levels 0, 1, ..., are added to it.
  int joins;
  // The level at which the result waits for its sibling, before the next segment begins with 0; negative: the chain
  // goes on with the next segment.
  int level;
};

enum class From { zero, c, saved };
enum class To { c, added_to_c, saved };

// One tile of C: up to Kernels::tile_rows rows and tile_vectors vectors of columns, over a block of k.
struct Tile {
  const float* a;              // Element (i, k) is a[i * a_row + k * a_step].
  std::int64_t a_row, a_step;  // One of them is 1, which the choice of the function says.
  const float* b;              // Row k is b + k * b_step: whole vectors, whose elements behind `columns` are ignored.
  std::int64_t b_step;
  float* c;  // Row i is c + i * c_row.
  std::int64_t c_row;
  std::int64_t columns;
  const Segment* segments;
  std::int64_t segment_count;
  From from;
  To to;
  // One slot of a whole tile for each level of the lanes' tree, and another, the last, for the chain between two
  // blocks.
  float* slots;
  int saved_slot;
};

// sums[i] is the chain of matrix(i, k) * vector[k]. It begins with 0, or goes on with sums[i] if `resume` is set.
struct VectorProduct {
  const float* matrix;
  std::int64_t stride;  // Between two rows of the matrix as it is stored.
  const float* vector;
  std::int64_t steps;
  float* sums;
  std::int64_t size;
  bool resume;
};

// Packs rows of A or columns of B for tiles: `width` of them in panels of `panel_width`; the last panel may have
// fewer. In a panel, what belongs to one step is adjacent: `padded` floats, a multiple of the vector, those behind the
// panel's own undefined.
struct Packing {
  const float* source;
  std::int64_t stride;  // copy: from one step to the next; transpose: from one row or column to the next.
  std::int64_t width;
  std::int64_t steps;
  std::int64_t panel_width;
  std::int64_t padded;
  float* panels;  // Each has steps * padded floats.
};

constexpr int tile_vectors = 2;
constexpr int tile_rows_most = 14;

struct Kernels {
  int vector;        // Floats in a vector.
  int tile_rows;     // At most this many rows of A make a tile, if they are adjacent for each step (a_row == 1),
  int strided_rows;  // and this many if each row is contiguous (a_step == 1).
  void (*tile[tile_vectors][tile_rows_most])(const Tile&);          // By vectors - 1 and rows - 1.
  void (*strided_tile[tile_vectors][tile_rows_most])(const Tile&);  // Likewise.
  void (*copy)(const Packing&);
  void (*transpose)(const Packing&);
  void (*by_columns)(const VectorProduct&);  // The matrix is stored as [steps, size].
  void (*by_rows)(const VectorProduct&);     // The matrix is stored as [size, steps].
};

const Kernels& portable_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

// Throws a bug if this machine does not have the level.
const Kernels& kernels_of(GemmLevel level);

}  // namespace carrack::train::cpu
