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

// Consecutive values of a tail. They are either a Tail, or blocks of bytes where the transport received them; a value
// may lie across two blocks. Positions count values from the beginning of the tail.
class Piece {
 public:
  using Block = std::span<const std::byte>;

  // The only piece of an empty tail.
  Piece() = default;
  // The only piece of a tail that is there as a whole.
  explicit Piece(Tail whole);
  // The values from `begin` on, of a tail of `total` values. The blocks together must hold whole values, and must not
  // change while `owner` lives.
  Piece(std::size_t begin, std::size_t total, std::vector<Block> blocks, std::shared_ptr<const void> owner);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t total() const { return total_; }
  bool is_last() const { return end_ == total_; }
  bool is_whole() const { return begin_ == 0 && is_last(); }

  // Copies the values [begin, begin + to.size()), which must lie in this piece.
  void copy(std::size_t begin, std::span<float> to) const;
  // Adds the values [begin, begin + to.size()) to those of `to`. About as fast as reading both from memory.
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
  // Adds the next piece. Returns the tail if it was the last piece, else nullopt. A piece at the beginning of a tail
  // discards the tail before if that is not complete. Ignores a piece that does not follow the last one, so it ignores
  // the rest of a tail whose beginning the caller did not pass.
  std::optional<Tail> add(Piece piece);

 private:
  Floats values_;
  std::size_t end_ = 0;  // of the last piece
};

}  // namespace carrack::train
