// BlockOrder: the order of a block shuffle, which reads remote or compressed files in long requests. It reads runs of
// neighbouring elements, the runs in random order, into a window of some runs in memory, and draws each next element at
// random from the window. This class computes the order only: numbers of elements, not elements. The element at a place
// (a position in the shuffled order) is computed from the place alone, in constant time on average.
//
//   BlockOrder(1'000'000, {.block = 400, .window = 16}, random)  // reads 400 neighbours at once, draws from 6,400
//
// How: the elements in the window fill slots, in groups of about 32. In each turn one slot of each group, drawn at
// random, outputs its element and takes in the next element that is read. So the element at a place is the one that its
// slot took in when the slot was last drawn, some 32 turns earlier. docs/design/shuffling.md compares it with tf.data.
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

// Immutable, so safe to use from many threads. An Epoch is not.
class BlockOrder {
 public:
  // Orders `size` elements; 0 is allowed. A block above `size` or 2^31 counts as that, and a window of more runs than
  // there are whole ones counts as all of them. `random` selects the order: equal arguments make equal orders. Throws
  // an Error if `size` is `endless` (place.h), and for a block or window of 0.
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random);

  std::uint64_t size() const { return size_; }
  std::uint64_t block() const { return block_; }  // number of elements in a run
  // Returns the number of elements in the window, at most block * window. A reader has them in memory.
  std::uint64_t window_elements() const { return slots_; }

  // The order of one epoch. It converts between three numbers of an element, each from 0 and less than size():
  //   place         its position in the shuffled order
  //   read index    its position in the order in which elements are read: run after run, the runs in random order
  //   input number  its position in the sequence that is shuffled
  // Caches random draws, so its memory grows with use, and it is not thread-safe. The BlockOrder must outlive it.
  class Epoch {
   public:
    Epoch(const BlockOrder& order, std::uint64_t epoch);

    std::uint64_t epoch() const { return epoch_; }
    // Returns the read index of the element at a place. It is in run read_index / block() of the runs that are read.
    std::uint64_t read_index_at(std::uint64_t place);
    // Returns the place of the element with this read index: the inverse of read_index_at().
    std::uint64_t place_of(std::uint64_t read_index);
    // Returns the input number of the element with this read index.
    std::uint64_t input_number_of(std::uint64_t read_index);

   private:
    // Returns the slot of a group that outputs its element in a turn.
    std::uint64_t drawn_slot(std::uint64_t turn, std::uint64_t group) const;
    // Returns the order in which the groups output elements in a turn. For the last turn, which empties all slots,
    // returns the order of the elements that are left.
    const Permutation& of_turn(std::uint64_t turn);

    const BlockOrder& order_;
    const std::uint64_t epoch_;
    const std::uint64_t first_;                             // input number of the element at which run 0 begins
    const std::uint64_t key_;                               // seed of the draws of this epoch
    std::optional<Permutation> runs_;                       // the order of the runs
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
