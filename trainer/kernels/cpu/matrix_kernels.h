// The innermost functions of a matrix product C = A B, in one table for each instruction set (Kernels).
// matrix_blocks.cc and matrix_vector.cc cut a product into tiles and chunks, and call these functions for each. The
// file that defines a table is compiled for its instruction set, so call its functions only if has(level)
// (kernels/matrix.h) is true.
//
// The sums run along k, the inner dimension; an index of k is a step. A product may have lanes (kernels/lanes.h): parts
// of k with separate sums, which are then added along a binary tree.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

// Consecutive steps along k, and what happens to the sums after them. Sums of lanes that wait for their sibling in the
// tree are stored in slots, one for each level of the tree. With four lanes in one block there are four segments, whose
// {joins, level} are {0, 0}, {1, 1}, {0, 0} and {2, -1}.
struct Segment {
  std::int64_t steps;  // the number of steps; may be 0
  // If a lane ends here: how many slots are added to the sum of the lane: those of the levels 0, 1, ... joins - 1. Else
  // 0.
  int joins;
  // If a lane ends here and is not the last one: the level of the slot to which the sum is then stored; the next
  // segment begins with 0. Negative: the next segment continues the sums, or they are the result.
  int level;
};

// Where the sums of a tile begin: with 0, with the elements of C, or with the sums that an earlier block stored.
enum class From { zero, c, saved };
// Where the sums of a tile go: to C, added to C, or stored for the next block.
enum class To { c, added_to_c, saved };

// The argument of Kernels::tile and strided_tile: one tile of C, with up to Kernels::tile_rows rows and tile_vectors
// vectors of columns, over a block of k.
struct Tile {
  const float* a;              // element (i, k) is a[i * a_row + k * a_step]
  std::int64_t a_row, a_step;  // Kernels::tile takes a_row as 1, and strided_tile a_step, whatever is set
  const float* b;              // row k is b + k * b_step; whole vectors are read, also after `columns`
  std::int64_t b_step;
  float* c;  // row i is c + i * c_row
  std::int64_t c_row;
  std::int64_t columns;
  const Segment* segments;
  std::int64_t segment_count;
  From from;
  To to;
  // Memory for slots, each with room for a whole tile. There is a slot for each level of the tree of lanes; the last
  // slot, number `saved_slot`, stores the sums between two blocks along k. Not used without lanes.
  float* slots;
  int saved_slot;
};

// The argument of Kernels::by_columns and by_rows. Each of `size` sums is a chain of fused multiply-adds over `steps`
// steps: sums[i] = fma(matrix(i, k), vector[k], sums[i]). It begins with 0, or with sums[i] if `resume` is true.
struct VectorProduct {
  const float* matrix;
  std::int64_t stride;  // elements from one row of the matrix, as it is stored, to the next
  const float* vector;
  std::int64_t steps;
  float* sums;
  std::int64_t size;
  bool resume;
};

// The argument of Kernels::copy and transpose, which pack `width` rows of A, or columns of B, for tiles. They are cut
// into panels of `panel_width` rows or columns; the last panel may have fewer. In a panel the elements of one step are
// adjacent. They take `padded` floats, a multiple of the vector; floats beyond the panel's own elements are undefined.
struct Packing {
  const float* source;
  std::int64_t stride;  // copy: from one step to the next; transpose: from one row or column to the next
  std::int64_t width;
  std::int64_t steps;
  std::int64_t panel_width;
  std::int64_t padded;
  float* panels;  // each panel has steps * padded floats
};

// The maximum size of a tile in any table: in vectors of columns, and in rows.
constexpr int tile_vectors = 2;
constexpr int tile_rows_most = 14;

struct Kernels {
  int vector;        // floats in a vector
  int tile_rows;     // the maximum number of rows in a tile(), which needs a_row == 1
  int strided_rows;  // the maximum number of rows in a strided_tile(), which needs a_step == 1
  void (*tile[tile_vectors][tile_rows_most])(const Tile&);          // by [vectors - 1][rows - 1]
  void (*strided_tile[tile_vectors][tile_rows_most])(const Tile&);  // by [vectors - 1][rows - 1]
  void (*copy)(const Packing&);              // packs a source in which the elements of a step are adjacent
  void (*transpose)(const Packing&);         // packs a source in which the elements of a row or column are adjacent
  void (*by_columns)(const VectorProduct&);  // for a matrix that is stored as [steps, size]
  void (*by_rows)(const VectorProduct&);     // for a matrix that is stored as [size, steps]
};

// The tables, which live as long as the process. Use kernels_of().
const Kernels& portable_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

// Returns the table of the level. Throws Error with Blame::bug if has(level) is false.
const Kernels& kernels_of(GemmLevel level);

}  // namespace carrack::train::cpu
