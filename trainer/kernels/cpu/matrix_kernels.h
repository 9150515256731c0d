// The inner functions of a matrix product, in one table for each instruction set (Kernels). The file that defines a
// table is compiled for its instruction set, so call its functions only if has(level) is true.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

// Consecutive steps along k, and what happens to the sums after them. If a lane ends there, its sum joins the tree of
// lanes.
struct Segment {
  std::int64_t steps;
  // If a lane ends here: the number of finished subtrees, of the levels 0, 1, ... joins - 1, whose sums are added to
  // the sum of the lane.
  int joins;
  // If a lane ends here and is not the last one: the level whose slot stores the sum until its sibling in the tree is
  // finished; the next segment then begins with 0. Negative: the next segment continues the sums, or they are the
  // result.
  int level;
};

// Where the sums of a tile begin: with 0, with the elements of C, or with the sums that an earlier block stored.
enum class From { zero, c, saved };
// Where the sums of a tile go: to C, added to C, or stored for the next block.
enum class To { c, added_to_c, saved };

// One tile of C: up to Kernels::tile_rows rows and tile_vectors vectors of columns, over a block of k.
struct Tile {
  const float* a;              // element (i, k) is a[i * a_row + k * a_step]
  std::int64_t a_row, a_step;  // a_row is 1 in Kernels::tile, a_step in strided_tile
  const float* b;              // row k is b + k * b_step: whole vectors; elements after `columns` are ignored
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

// sums[i] is the chain of matrix(i, k) * vector[k] over `steps` steps, for `size` sums. It begins with 0, or continues
// sums[i] if `resume` is true.
struct VectorProduct {
  const float* matrix;
  std::int64_t stride;  // elements from one row of the matrix, as it is stored, to the next
  const float* vector;
  std::int64_t steps;
  float* sums;
  std::int64_t size;
  bool resume;
};

// How `width` rows of A, or columns of B, are packed for tiles. They are cut into panels of `panel_width` rows or
// columns; the last panel may have fewer. In a panel the elements of one step are adjacent. They take `padded` floats,
// a multiple of the vector; floats beyond the panel's own elements are undefined.
struct Packing {
  const float* source;
  std::int64_t stride;  // copy: from one step to the next; transpose: from one row or column to the next
  std::int64_t width;
  std::int64_t steps;
  std::int64_t panel_width;
  std::int64_t padded;
  float* panels;  // each panel has steps * padded floats
};

// The maximum size of a tile in any table: columns, in vectors, and rows.
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

const Kernels& portable_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

// Throws Error with Blame::bug if this machine does not have the level.
const Kernels& kernels_of(GemmLevel level);

}  // namespace carrack::train::cpu
