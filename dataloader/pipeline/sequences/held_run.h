// What is held of a run: its rows in the order in which they come, in pieces with memory of their own. A piece goes
// once all of its rows were given, or nobody is to want them.
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
  // A row of the run, and its place in the order.
  struct Coming {
    std::uint64_t place = 0;
    std::uint32_t row = 0;
  };
  // A row of the run that is asked for, with its number among all that are.
  struct Wish {
    std::uint64_t row = 0;
    std::size_t asked = 0;
  };
  // Where it is.
  struct Answer {
    std::shared_ptr<const Rows> piece = {};
    std::size_t number = 0;  // among those of the piece, the lost ones too
  };
  struct Size {
    std::uint64_t rows = 0;  // the lost ones too
    std::uint64_t bytes = 0;
  };

  HeldRun() = default;
  // `rows` are those of `coming`, in its order. What comes before `first_place` is not held.
  HeldRun(const Rows& rows, const std::vector<Coming>& coming, std::uint64_t first_place);

  Size size() const { return size_; }
  // False, and nothing is given, where not all are there.
  bool give(std::span<const Wish> wishes, std::vector<Answer>& answers);
  // Of what comes before a place.
  void let_go(std::uint64_t place);

 private:
  struct Piece {
    std::shared_ptr<const Rows> rows;  // none once it is gone
    std::uint64_t last_place = 0;
    std::size_t left = 0;  // not yet given
    Size size = {};
  };

  Piece& piece_of(std::uint32_t number) { return pieces_[number / in_piece_]; }
  void let_go(Piece& piece);

  std::vector<std::uint32_t> comes_;  // of each row, how many of the others come before it
  std::vector<bool> given_;           // in the order in which they come
  std::size_t in_piece_ = 1;
  std::vector<Piece> pieces_;
  Size size_;
};

// Puts the row behind the others, as the answer to what was asked under that number.
void append(Rows& rows, const HeldRun::Answer& answer, std::size_t asked);

}  // namespace carrack::data
