// BlockOrder: the order of a shuffle that reads long pieces. Runs of neighbouring elements are read one after the
// other, in a shuffled order, and the next element is drawn from the runs in the window. The element at a place is
// computed in constant time, only from the place.
//
// The elements in the window fill slots, in groups of about 32. In each turn one slot of each group, drawn at random,
// gives its element and takes in the next element that is read. So the element at a place is the one that its slot took
// in the last time the slot was drawn, some 32 turns earlier.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

struct Blocks {
  std::uint64_t block = 1;   // elements in a run
  std::uint64_t window = 1;  // runs in the window
};

class BlockOrder {
 public:
  // Orders `size` elements; a block or window larger than that is reduced to it. Throws an Error if `size` is
  // `endless`, see place.h, and for a block or window of 0.
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random);

  std::uint64_t size() const { return size_; }
  std::uint64_t block() const { return block_; }  // elements in a run
  // The number of elements in the window.
  std::uint64_t held() const { return slots_; }

  // The order of one epoch. `taken` is the number of an element in the order in which elements are read ("taken in").
  // Arguments are less than size(). Caches random draws, so it grows with use and is not thread-safe. The BlockOrder
  // must outlive it.
  class Epoch {
   public:
    Epoch(const BlockOrder& order, std::uint64_t epoch);

    std::uint64_t epoch() const { return epoch_; }
    // Returns which element is at a place.
    std::uint64_t taken_at(std::uint64_t place);
    // The inverse of taken_at().
    std::uint64_t place_of(std::uint64_t taken);
    // Returns the element's number in the sequence that is shuffled.
    std::uint64_t number_of(std::uint64_t taken);

   private:
    // Returns the slot of a group that gives its element in a turn.
    std::uint64_t drawn_slot(std::uint64_t turn, std::uint64_t group) const;
    // Returns the order of the groups in a turn; for the last turn, which empties all slots, the order of the elements.
    const Permutation& of_turn(std::uint64_t turn);

    const BlockOrder& order_;
    const std::uint64_t epoch_;
    const std::uint64_t first_;  // the element at which the ring of runs begins
    const std::uint64_t key_;
    std::optional<Permutation> runs_;
    std::unordered_map<std::uint64_t, Permutation> turns_;
  };

 private:
  std::uint64_t size_;
  std::uint64_t block_;
  Random random_;
  std::uint64_t groups_;
  std::uint64_t slots_;  // in all groups; the slots of one group are groups_ apart
  std::uint64_t turns_;  // before the last turn, which empties all slots
};

}  // namespace carrack::data
