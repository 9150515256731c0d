// BlockOrder: the order of a shuffle that reads long pieces. Runs of neighbouring elements are read one after the
// other, in a shuffled order, and each next element is drawn from the runs in the window. The element at a place is
// computed from the place alone, in constant time on average. Immutable; safe for many threads, except its Epochs.
//
// The elements in the window fill slots, in groups of about 32. In each turn one slot of each group, drawn at random,
// outputs its element and takes in the next element that is read. So the element at a place is the one that its slot
// took in when the slot was last drawn, some 32 turns earlier.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

struct Blocks {
  std::uint64_t block = 1;   // number of elements in a run; not 0
  std::uint64_t window = 1;  // number of runs in the window; not 0
};

class BlockOrder {
 public:
  // Orders `size` elements; 0 is allowed. A larger block is reduced to `size` or 2^31, and a larger window to the
  // number of whole runs. Throws an Error if `size` is `endless` (place.h), and for a block or window of 0.
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random);

  std::uint64_t size() const { return size_; }
  std::uint64_t block() const { return block_; }  // number of elements in a run
  // Returns the number of elements in the window, which a reader holds in memory.
  std::uint64_t held() const { return slots_; }

  // The order of one epoch. Each element has three numbers, all less than size(): its `place` in the shuffled order,
  // its number `taken` in the order in which elements are read (taken into the window), and its number in the sequence
  // that is shuffled. Caches random draws, so it grows with use and is not thread-safe. The BlockOrder must outlive it.
  class Epoch {
   public:
    Epoch(const BlockOrder& order, std::uint64_t epoch);

    std::uint64_t epoch() const { return epoch_; }
    // Returns `taken` of the element at a place.
    std::uint64_t taken_at(std::uint64_t place);
    // Returns the place of an element: the inverse of taken_at().
    std::uint64_t place_of(std::uint64_t taken);
    // Returns the element's number in the sequence that is shuffled.
    std::uint64_t number_of(std::uint64_t taken);

   private:
    // Returns the slot of a group that outputs its element in a turn.
    std::uint64_t drawn_slot(std::uint64_t turn, std::uint64_t group) const;
    // Returns the order in which the groups output elements in a turn. For the last turn, which empties all slots,
    // returns the order of the elements that are left.
    const Permutation& of_turn(std::uint64_t turn);

    const BlockOrder& order_;
    const std::uint64_t epoch_;
    const std::uint64_t first_;        // number of the element at which the ring of runs begins, see number_of()
    const std::uint64_t key_;          // seed of the draws of this epoch
    std::optional<Permutation> runs_;  // the order of the runs
    std::unordered_map<std::uint64_t, Permutation> turns_;  // results of of_turn(), by turn
  };

 private:
  std::uint64_t size_;
  std::uint64_t block_;
  Random random_;
  std::uint64_t groups_;  // number of groups
  std::uint64_t slots_;   // number of slots in all groups; the slots of one group are groups_ apart
  std::uint64_t turns_;   // number of turns before the last turn, which empties all slots
};

}  // namespace carrack::data
