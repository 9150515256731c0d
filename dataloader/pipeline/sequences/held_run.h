// HeldRun: the rows of one run of a block shuffle, in memory until the shuffle has returned them. (A block shuffle
// reads runs of neighbouring rows, and returns the rows of several runs mixed, see block_order.h.) The rows are stored
// in the order in which the shuffle returns them, in pieces, each with its own memory. A piece is freed once all of its
// rows were returned, or once drop_before() says that they will not be requested. For held_runs.cc. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

class HeldRun {
 public:
  // A row of the run, and the place (the position in the shuffled order of the epoch) at which it is returned.
  struct RowSlot {
    std::uint64_t place = 0;
    std::uint32_t row = 0;  // index in the run
  };
  struct RowRequest {
    std::uint64_t row = 0;  // index in the run
    std::size_t index = 0;  // the index into `locations` of locate(): among all rows that a call requests, in all runs
  };
  // Where a requested row is. `piece` shares ownership, so the row is valid even after this HeldRun has freed it.
  struct RowLocation {
    std::shared_ptr<const Rows> piece = {};
    std::size_t slot = 0;  // index in the piece; lost rows count, too
  };
  struct Size {
    std::uint64_t rows = 0;  // including lost ones
    std::uint64_t bytes = 0;
  };

  // Contains no rows.
  HeldRun() = default;
  // Copies the run's rows, with their strings. `slots` must have each row of the run once, sorted by place, and `rows`
  // must be in the order of `slots`; a lost row has the index of its slot. A piece is left out if the places of all its
  // rows are before `first_place`.
  HeldRun(const Rows& rows, const std::vector<RowSlot>& slots, std::uint64_t first_place);

  // The rows that are in memory now, and their bytes.
  Size size() const { return size_; }
  // Finds the requested rows: sets locations[request.index] for each request, counts these rows as returned, and
  // returns true. If any of the rows is not in memory (any more), returns false and changes nothing.
  bool locate(std::span<const RowRequest> requests, std::vector<RowLocation>& locations);
  // Frees the pieces in which the places of all rows are before `place`.
  void drop_before(std::uint64_t place);

 private:
  // The rows of consecutive slots.
  struct Piece {
    std::shared_ptr<const Rows> rows;  // nullptr once it is freed
    std::uint64_t last_place = 0;
    std::size_t unreturned = 0;  // number of rows that were not returned yet
    Size size = {};
  };

  Piece& piece_of(std::uint32_t slot) { return pieces_[slot / slots_in_piece_]; }
  void free(Piece& piece);

  std::vector<std::uint32_t> slot_of_row_;
  std::vector<bool> is_returned_;  // for each slot
  std::size_t slots_in_piece_ = 1;
  std::vector<Piece> pieces_;
  Size size_;
};

// Appends the row at the location to `rows`. If it is a lost row, appends it to rows.lost instead, with `index` as
// Lost::index.
void append(Rows& rows, const HeldRun::RowLocation& location, std::size_t index);

}  // namespace carrack::data
