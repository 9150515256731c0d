#include "trainer/kernels/cpu/matrix_blocks.h"

#include <algorithm>

#include "trainer/kernels/cpu/matrix_vector.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rounding.h"

namespace carrack::train::cpu {
namespace {

// [0, total) cut into parts of nearly the same size: the fewest parts of at most `most` elements each, but at least one
// part.
struct Parts {
  Parts(std::int64_t all, std::int64_t most) : total(all), count(std::max<std::int64_t>(1, divided_up(all, most))) {}
  Range operator[](std::int64_t index) const { return equal_part(total, count, index); }
  std::int64_t largest() const { return divided_up(total, count); }

  std::int64_t total, count;
};

// The sizes of blocks below were the fastest on an AMD EPYC with 48 KiB and 1 MiB of cache for each core
// (docs/benchmarks.md).

// The maximum number of steps along k in a block. With this number, the part of B that a tile reads is about as large
// as the first-level cache.
constexpr std::int64_t steps_most = 400;
// The maximum number of rows of A in a block. More rows mean fewer blocks, and so less packing, because all of B is
// packed (copied in the order in which tiles read it) again for each block.
constexpr std::int64_t rows_most = 448;
// The maximum number of columns of B that are packed at the same time. So packing reads B one kilobyte of a row at a
// time.
constexpr std::int64_t columns_packed = 256;
// A panel is the columns of B of one tile. If the rows of a block of A make at most this many tiles, a panel would be
// read too few times to be worth packing. Tiles then read whole panels in B itself, if the elements of each row of B
// are adjacent.
constexpr std::int64_t direct_panels = 10;
// The maximum number of rows and columns of a block if there are lanes and several blocks along k. They are lower,
// because all tiles of the block must then save the sums of their lanes (slots) from one block along k to the next.
constexpr std::int64_t waiting_rows_most = 84;
constexpr std::int64_t waiting_columns_most = 256;

// Computes a product in blocks of rows of A, columns of B and steps along k, each small enough for the caches.
class Blocks {
 public:
  Blocks(const Kernels& kernels, const Product& product, Workspace& workspace);
  void run();

 private:
  void block(Range rows, Range columns, std::int64_t step_block);
  void group(Range rows, Range columns);
  // Computes the tiles of one panel, `b`, for all rows of the block. `b_step` elements later is the next row of `b`.
  void tiles_of_panel(Range rows, Range columns, const float* b, std::int64_t b_step);
  void pack(bool by_transposing, const Packing& packing) {
    (by_transposing ? kernels_.transpose : kernels_.copy)(packing);
  }

  const Kernels& kernels_;
  const Product& product_;
  Workspace& workspace_;
  bool strided_;  // rows of A are not packed, but read where they are, step after step
  bool pack_a_;
  std::int64_t rows_at_once_, columns_at_once_;
  Parts steps_, row_blocks_;
  std::int64_t column_block_;
  std::int64_t a_padded_;      // floats of each step in a packed panel of A
  std::int64_t slot_, slots_;  // floats in a slot, and number of slots of a tile
  bool waiting_;               // each tile of a block has slots of its own, which keep its sums between blocks along k
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* tiles_ = nullptr;

  // The block that is being computed.
  Range block_columns_{}, block_steps_{};
  std::int64_t panel_rows_ = 1;  // rows of A in each tile; the last tile may have fewer
  std::span<const Segment> segments_;
  From from_ = From::zero;
  To to_ = To::c;
};

// If C has at most two tiles of columns, tiles read each element of A too few times to be worth packing.
bool packs_a(const Kernels& kernels, const Product& product) {
  return product.n > 2 * tile_vectors * kernels.vector;
}

Blocks::Blocks(const Kernels& kernels, const Product& product, Workspace& workspace)
    : kernels_(kernels),
      product_(product),
      workspace_(workspace),
      strided_(product.a.column == 1 && !packs_a(kernels, product)),
      pack_a_(packs_a(kernels, product)),
      rows_at_once_(strided_ ? kernels.strided_rows : kernels.tile_rows),
      columns_at_once_(tile_vectors * kernels.vector),
      steps_(product.k, steps_most),
      row_blocks_(product.m, rows_most),
      column_block_(product.n),
      a_padded_(rounded_up(kernels.tile_rows, kernels.vector)),
      slot_(rows_at_once_ * columns_at_once_),
      slots_(levels_of(product.lane_ends) + 1),
      waiting_(!product.lane_ends.empty() && steps_.count > 1) {
  if (waiting_) {
    row_blocks_ = Parts(product.m, waiting_rows_most);
    column_block_ = waiting_columns_most;
  }
  const std::int64_t row_panels = divided_up(row_blocks_.largest(), rows_at_once_);
  const std::int64_t column_panels = divided_up(std::min(column_block_, product.n), columns_at_once_);
  const std::int64_t a_floats = pack_a_ ? row_panels * a_padded_ * steps_.largest() : 0;
  const std::int64_t b_floats = std::min(columns_packed, column_panels * columns_at_once_) * steps_.largest();
  const std::int64_t tiles = product.lane_ends.empty() ? 0 : waiting_ ? row_panels * column_panels : 1;
  // Each array begins at a multiple of 64 bytes, so that whole vectors are aligned.
  a_ = workspace.floats(rounded_up(a_floats, 16) + rounded_up(b_floats, 16) + tiles * slots_ * slot_);
  b_ = a_ + rounded_up(a_floats, 16);
  tiles_ = b_ + rounded_up(b_floats, 16);
}

void Blocks::run() {
  for (std::int64_t i = 0; i < row_blocks_.count; ++i) {
    for (std::int64_t column = 0; column < product_.n; column += column_block_) {
      const Range columns{column, std::min(column + column_block_, product_.n)};
      for (std::int64_t step_block = 0; step_block < steps_.count; ++step_block) {
        block(row_blocks_[i], columns, step_block);
      }
    }
  }
}

void Blocks::block(Range rows, Range columns, std::int64_t step_block) {
  const bool lanes = !product_.lane_ends.empty();
  const bool first = step_block == 0, last = step_block == steps_.count - 1;
  block_columns_ = columns;
  block_steps_ = steps_[step_block];
  segments_ = workspace_.segments(product_.lane_ends, block_steps_.begin, block_steps_.end);
  // Between two blocks along k, C has the sums. With lanes the saved slots have them instead, because the sum of each
  // lane begins with 0; then the last block adds to C, if the product does.
  from_ = first ? (product_.accumulate && !lanes ? From::c : From::zero) : (lanes ? From::saved : From::c);
  to_ = !lanes ? To::c : !last ? To::saved : product_.accumulate ? To::added_to_c : To::c;

  const MatrixView& a = product_.a;
  panel_rows_ = Parts(rows.size(), rows_at_once_).largest();
  if (pack_a_) {
    const float* from = a.data + rows.begin * a.row + block_steps_.begin * a.column;
    pack(a.column == 1, {.source = from,
                         .stride = a.column == 1 ? a.row : a.column,
                         .width = rows.size(),
                         .steps = block_steps_.size(),
                         .panel_width = panel_rows_,
                         .padded = a_padded_,
                         .panels = a_});
  }
  for (std::int64_t column = columns.begin; column < columns.end; column += columns_packed) {
    group(rows, {column, std::min(column + columns_packed, columns.end)});
  }
}

// Computes the tiles of at most columns_packed columns of the block. Packs the panels of B first, except those that are
// read where they are (direct_panels).
void Blocks::group(Range rows, Range columns) {
  const MatrixView& b = product_.b;
  const std::int64_t steps = block_steps_.size();
  const float* from = b.data + block_steps_.begin * b.row + columns.begin * b.column;
  std::int64_t whole = columns.size() - columns.size() % columns_at_once_;
  if (b.column == 1 && rows.size() <= direct_panels * rows_at_once_) {
    for (std::int64_t i = 0; i < whole; i += columns_at_once_) {
      tiles_of_panel(rows, {columns.begin + i, columns.begin + i + columns_at_once_}, from + i, b.row);
    }
    from += whole;
    columns.begin += whole;
    whole = 0;
  }
  Packing packing{.source = from,
                  .stride = b.column == 1 ? b.row : b.column,
                  .width = whole,
                  .steps = steps,
                  .panel_width = columns_at_once_,
                  .padded = columns_at_once_,
                  .panels = b_};
  if (whole > 0) pack(b.row == 1, packing);
  for (std::int64_t i = 0; i < whole; i += columns_at_once_) {
    tiles_of_panel(rows, {columns.begin + i, columns.begin + i + columns_at_once_}, b_ + i * steps, columns_at_once_);
  }
  columns.begin += whole;
  if (columns.size() == 0) return;
  packing.source += whole * b.column;
  packing.width = columns.size();
  packing.padded = rounded_up(columns.size(), kernels_.vector);
  pack(b.row == 1, packing);
  tiles_of_panel(rows, columns, b_, packing.padded);
}

void Blocks::tiles_of_panel(Range rows, Range columns, const float* b, std::int64_t b_step) {
  const std::int64_t panels = divided_up(rows.size(), panel_rows_);
  const std::int64_t vectors = divided_up(columns.size(), kernels_.vector);
  const auto& functions = (strided_ ? kernels_.strided_tile : kernels_.tile)[vectors - 1];
  const std::int64_t first_tile = waiting_ ? (columns.begin - block_columns_.begin) / columns_at_once_ * panels : 0;
  Tile tile{.a = nullptr,
            .a_row = product_.a.row,
            .a_step = pack_a_ ? a_padded_ : product_.a.column,
            .b = b,
            .b_step = b_step,
            .c = nullptr,
            .c_row = product_.c_row,
            .columns = columns.size(),
            .segments = segments_.data(),
            .segment_count = std::ssize(segments_),
            .from = from_,
            .to = to_,
            .slots = nullptr,
            .saved_slot = static_cast<int>(slots_ - 1)};
  for (std::int64_t i = 0; i < panels; ++i) {
    const std::int64_t row = rows.begin + i * panel_rows_;
    tile.a = pack_a_ ? a_ + i * a_padded_ * block_steps_.size()
                     : product_.a.data + row * product_.a.row + block_steps_.begin * product_.a.column;
    tile.c = product_.c + row * product_.c_row + columns.begin;
    tile.slots = tiles_ + (waiting_ ? first_tile + i : 0) * slots_ * slot_;
    functions[std::min(panel_rows_, rows.end - row) - 1](tile);
  }
}

}  // namespace

void multiply(const Kernels& kernels, const Product& product, Workspace& workspace) {
  if (product.m == 0 || product.n == 0) return;
  if (is_vector_product(product)) return multiply_vector(kernels, product, workspace);
  Blocks(kernels, product, workspace).run();
}

}  // namespace carrack::train::cpu
