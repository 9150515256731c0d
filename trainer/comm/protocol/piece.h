// A piece of a frame's tail, as a transport delivers it. A long tail arrives in several pieces, so that values can be
// used before the last ones arrive, and no process has to hold the whole tail twice.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainer/comm/protocol/tail.h"

namespace carrack::train {

// Consecutive values of a tail: either a Tail, or blocks of bytes in the memory in which the transport received them.
// Blocks need no alignment, and a value may lie across two of them. Positions count values from the beginning of the
// tail. Copies share the blocks, but a copy of a Piece that was made of a Tail copies that Tail.
class Piece {
 public:
  using Block = std::span<const std::byte>;

  // The piece of an empty tail.
  Piece() = default;
  // The only piece of a tail that is available completely.
  explicit Piece(Tail whole);
  // The values from `begin` on, of a tail of `total` values. The blocks together must hold whole values, and must stay
  // valid and unchanged as long as `owner` lives.
  Piece(std::size_t begin, std::size_t total, std::vector<Block> blocks, std::shared_ptr<const void> owner);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t total() const { return total_; }
  bool is_last() const { return end_ == total_; }
  bool is_whole() const { return begin_ == 0 && is_last(); }

  // Copies the values [begin, begin + to.size()), which must lie in this piece, to `to`.
  void copy(std::size_t begin, std::span<float> to) const;
  // Adds the values [begin, begin + to.size()), which must lie in this piece, to those of `to`. About as fast as
  // reading both from memory.
  void add(std::size_t begin, std::span<float> to) const;

  // Returns all values of the tail; is_whole() must be true. Copies them unless the piece was made of a Tail.
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

// Joins the pieces of tails, one tail after the other. Not thread-safe.
class TailAssembly {
 public:
  // Adds the next piece. Returns the tail if that was its last piece, otherwise nullopt. A piece at the beginning of a
  // tail discards an earlier tail that is not complete. Ignores a piece that does not follow the last one, and so also
  // the rest of a tail whose beginning was not passed.
  std::optional<Tail> add(Piece piece);

 private:
  Floats values_;
  std::size_t end_ = 0;  // end of the last piece
};

}  // namespace carrack::train
