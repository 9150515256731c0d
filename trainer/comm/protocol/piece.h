// Piece: a part of the floats of a frame (frame.h), such as a gradient, as they arrive from another process. A long
// tail arrives in pieces of 1 MiB at most, so that values can be used before the last ones arrive, and no process needs
// memory for the whole tail twice.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainer/comm/protocol/tail.h"

namespace carrack::train {

// The values [begin(), end()) of a tail of total() values. The bytes of the values stay where the transport received
// them, in blocks that need no alignment, and a value may lie across two blocks. Use copy() or add() to read them. A
// copy of a Piece refers to the same bytes, but if the Piece was made of a Tail, copies that Tail.
class Piece {
 public:
  using Block = std::span<const std::byte>;

  // The piece of an empty tail.
  Piece() = default;
  // The only piece of a tail that is in memory completely.
  explicit Piece(Tail whole);
  // The values from `begin` on, of a tail of `total` values. The blocks together must hold whole values, and must stay
  // valid and unchanged as long as `owner` lives.
  Piece(std::size_t begin, std::size_t total, std::vector<Block> blocks, std::shared_ptr<const void> owner);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t total() const { return total_; }
  bool is_last() const { return end_ == total_; }
  bool is_whole() const { return begin_ == 0 && is_last(); }

  // Copies the values [begin, begin + to.size()) of the tail to `to`. They must lie in this piece, or a CHECK fails.
  void copy(std::size_t begin, std::span<float> to) const;
  // Adds the values [begin, begin + to.size()) of the tail to the values in `to`. They must lie in this piece, or a
  // CHECK fails. About as fast as reading both from memory.
  void add(std::size_t begin, std::span<float> to) const;

  // Returns all values of the tail. A CHECK fails unless is_whole(). Copies them unless the piece was made of a Tail.
  Tail take_whole() &&;

 private:
  template <class Use>
  void visit(std::size_t begin, std::size_t size, const Use& use) const;

  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t total_ = 0;
  Tail whole_;  // empty unless the piece was made of a Tail
  std::vector<Block> blocks_;
  std::shared_ptr<const void> owner_;
};

// Joins the pieces of the tails of one stream, one tail after the other, for a receiver that needs whole tails. Not
// thread-safe.
class TailAssembly {
 public:
  // Adds the next piece. Returns the whole tail if that was its last piece, otherwise nullopt. The first piece of a
  // tail discards an incomplete earlier tail. A piece that does not follow the last one is ignored, and so is the rest
  // of a tail whose first piece was not passed.
  std::optional<Tail> add(Piece piece);

 private:
  Floats values_;
  std::size_t end_ = 0;  // end of the last piece
};

}  // namespace carrack::train
