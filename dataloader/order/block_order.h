// The order of a shuffle that reads long pieces: runs of neighbours are taken in one after the other, in a shuffled
// order, and the elements of some of them are held, of which any may come next. What comes where is computed place by
// place, in a time that does not depend on what came before.
//
// Elements are held in slots, in groups of about 32. In each turn one slot of each group, which is drawn, is left and
// filled anew. So what comes at a place is what was taken in when its slot was left before, some 32 turns back.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dataloader/order/permutation.h"
#include "dataloader/order/random.h"

namespace carrack::data {

struct Blocks {
  std::uint64_t block = 1;   // elements in a run
  std::uint64_t window = 1;  // runs of which the elements are held
};

class BlockOrder {
 public:
  // Throws an Error for endless elements, and for a block or window of nothing.
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random);

  std::uint64_t size() const { return size_; }
  std::uint64_t block() const { return block_; }
  std::uint64_t held() const { return slots_; }

  // One epoch's order. Elements are numbered as they are taken in. Keeps what was drawn: one thread, for a while.
  class Epoch {
   public:
    Epoch(const BlockOrder& order, std::uint64_t epoch);

    std::uint64_t epoch() const { return epoch_; }
    // The element at a place, its place, and its number among those that were ordered.
    std::uint64_t taken_at(std::uint64_t place);
    std::uint64_t place_of(std::uint64_t taken);
    std::uint64_t number_of(std::uint64_t taken);

   private:
    // The slot of a group that is left in a turn.
    std::uint64_t left_in(std::uint64_t turn, std::uint64_t group) const;
    // In which order the groups come in a turn; of the last one, in which all comes that is there, the elements.
    const Permutation& of_turn(std::uint64_t turn);

    const BlockOrder& order_;
    const std::uint64_t epoch_;
    const std::uint64_t first_;  // of the ring on which runs lie
    const std::uint64_t key_;
    std::optional<Permutation> runs_;
    std::unordered_map<std::uint64_t, Permutation> turns_;
  };

 private:
  std::uint64_t size_;
  std::uint64_t block_;
  Random random_;
  std::uint64_t groups_;
  std::uint64_t slots_;  // Those of a group lie as many apart as there are groups.
  std::uint64_t turns_;  // before the last one
};

}  // namespace carrack::data
