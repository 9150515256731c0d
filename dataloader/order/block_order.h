// The order of a shuffle that reads long pieces: runs of neighbours are read one after the other, in a shuffled order,
// and the next element is drawn from the runs in the window. The element at a place is computed in constant time, from
// the place alone.
//
// The elements in the window fill slots, in groups of about 32. In each turn one slot of each group, drawn at random,
// gives its element and takes in the next one that is read. So the element at a place is the one that its slot took in
// the last time it was drawn, some 32 turns earlier.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

struct Blocks {
  std::uint64_t block = 1;   // elements in a run
  std::uint64_t window = 1;  // runs in memory
};

class BlockOrder {
 public:
  // Throws an Error if `size` is `endless`, see place.h, and for a block or window of 0.
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random);

  std::uint64_t size() const { return size_; }
  std::uint64_t block() const { return block_; }
  // Elements in the window.
  std::uint64_t held() const { return slots_; }

  // The order of one epoch. Elements are numbered in the order in which they are read ("taken in"). Caches random
  // draws, so it grows with use and is not thread-safe. The BlockOrder must outlive it.
  class Epoch {
   public:
    Epoch(const BlockOrder& order, std::uint64_t epoch);

    std::uint64_t epoch() const { return epoch_; }
    // The element at a place, as its number in the order of reading; and the place of the element of that number.
    std::uint64_t taken_at(std::uint64_t place);
    std::uint64_t place_of(std::uint64_t taken);
    // The same element's number in the sequence that is shuffled.
    std::uint64_t number_of(std::uint64_t taken);

   private:
    // The slot of a group that is emptied in a turn.
    std::uint64_t left_in(std::uint64_t turn, std::uint64_t group) const;
    // The order of the groups in a turn; for the last turn, which empties all slots, the order of the elements.
    const Permutation& of_turn(std::uint64_t turn);

    const BlockOrder& order_;
    const std::uint64_t epoch_;
    const std::uint64_t first_;  // element at which the ring of runs begins
    const std::uint64_t key_;
    std::optional<Permutation> runs_;
    std::unordered_map<std::uint64_t, Permutation> turns_;
  };

 private:
  std::uint64_t size_;
  std::uint64_t block_;
  Random random_;
  std::uint64_t groups_;
  std::uint64_t slots_;  // Slots of one group are groups_ apart.
  std::uint64_t turns_;  // before the last one
};

}  // namespace carrack::data
