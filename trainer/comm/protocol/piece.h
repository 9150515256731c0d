// A piece of a frame's tail, as a transport delivers it. A long tail comes in several pieces, so that its values can be
// used before the last of them is there, and nobody has to hold all of them twice.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainer/comm/protocol/tail.h"

namespace carrack::train {

// Consecutive values of a tail. They lie where the transport received them, in blocks of bytes that may begin and end
// within a value, or they are a Tail of this process. Values are counted from the beginning of the tail.
class Piece {
 public:
  using Block = std::span<const std::byte>;

  // The only piece of an empty tail.
  Piece() = default;
  // The only piece of any tail.
  explicit Piece(Tail whole);
  // The values from `begin` on of a tail of `total` values. The blocks have whole values together, and stay as they are
  // while `owner` lives.
  Piece(std::size_t begin, std::size_t total, std::vector<Block> blocks, std::shared_ptr<const void> owner);

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t total() const { return total_; }
  bool is_last() const { return end_ == total_; }
  bool is_whole() const { return begin_ == 0 && is_last(); }

  // Copies the values [begin, begin + to.size()), which this piece must have.
  void copy(std::size_t begin, std::span<float> to) const;
  // Adds them to those of `to`. Takes about as long as it takes to read both from memory.
  void add(std::size_t begin, std::span<float> to) const;

  // All values of the tail; is_whole() must be true. Copies them unless this was made of a Tail.
  Tail take_whole() &&;

 private:
  template <class Use>
  void visit(std::size_t begin, std::size_t size, const Use& use) const;

  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t total_ = 0;
  Tail whole_;  // empty unless this was made of it
  std::vector<Block> blocks_;
  std::shared_ptr<const void> owner_;
};

// Puts tails together from their pieces. Not thread-safe.
class TailAssembly {
 public:
  // Takes the next piece, and returns the tail if it was the last one. A piece at the beginning of a tail replaces what
  // there is of another. Ignores a piece that does not follow the one before, so the rest of a tail whose beginning
  // somebody has ignored is ignored, too.
  std::optional<Tail> add(Piece piece);

 private:
  Floats values_;
  std::size_t end_ = 0;  // of the last piece
};

}  // namespace carrack::train
