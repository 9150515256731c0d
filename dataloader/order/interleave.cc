#include "dataloader/order/interleave.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/place.h"

namespace carrack::data {
namespace {

// The slots take turns, as in tf.data. Each has at most one open sequence. If that sequence has ended when the turn of
// the slot comes, the turn passes to the next slot, and the slot opens another sequence at its own next turn.
class Slots {
 public:
  struct Slot {
    std::size_t sequence = 0;
    std::uint64_t next = 0;  // number of the next element within the sequence
    std::uint64_t left = 0;  // number of elements of the sequence that are left
    bool empty = true;       // no sequence is open
  };

  Slots(const std::vector<std::uint64_t>& sizes, std::uint64_t cycle)
      : sizes_(sizes), slots_(std::min<std::uint64_t>(cycle, std::max<std::size_t>(sizes.size(), 1))) {}

  std::vector<Slot>& all() { return slots_; }
  Slot& current() { return slots_[at_]; }
  std::size_t at() const { return at_; }
  void advance() { at_ = (at_ + 1) % slots_.size(); }

  // Advances from the current slot to the first slot that has elements. On the way, opens sequences in free slots.
  // Returns false if no elements are left.
  bool find() {
    for (std::size_t idle = 0; idle < slots_.size();) {  // number of free slots since the last sequence was opened
      Slot& slot = current();
      if (slot.empty && begun_ < sizes_.size()) {
        slot = {begun_, 0, sizes_[begun_], false};
        ++begun_;
        idle = 0;
      }
      if (!slot.empty && slot.left > 0) return true;
      if (slot.empty) ++idle;
      slot.empty = true;
      advance();
    }
    return false;
  }

  // Returns whether there are sequences that were not opened yet.
  bool may_begin() const { return begun_ < sizes_.size(); }

 private:
  const std::vector<std::uint64_t>& sizes_;
  std::vector<Slot> slots_;
  std::size_t at_ = 0;
  std::size_t begun_ = 0;
};

}  // namespace

Interleave::Interleave(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block) : block_(block) {
  if (cycle == 0 || block == 0) throw Error("interleave: a cycle and a block hold at least one");
  constexpr std::uint64_t most_turns = 20'000'000;
  if (std::min<std::uint64_t>(cycle, sizes.size()) * sizes.size() > most_turns) {
    throw Error("interleave: " + std::to_string(cycle) + " at once of " + std::to_string(sizes.size()) +
                " are too many to keep in mind; take fewer at once, or fewer and larger ones");
  }
  Slots slots(sizes, cycle);
  while (slots.find()) {
    // Adds a stretch, within which at() can compute any element: all rounds in which each slot outputs a whole block.
    // If not even one such round is possible, adds a single turn of one slot.
    std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max();
    for (const Slots::Slot& slot : slots.all()) {
      if (slot.empty && !slots.may_begin()) continue;
      rounds = std::min(rounds, slot.empty ? 0 : slot.left / block);
    }
    Stretch stretch{size_, {}};
    const std::size_t first = slots.at();
    if (rounds > 0) {
      for (std::size_t i = 0; i < slots.all().size(); ++i) {
        Slots::Slot& slot = slots.all()[(first + i) % slots.all().size()];
        if (slot.empty) continue;
        stretch.turns.push_back({slot.sequence, slot.next});
        slot.next += rounds * block;
        slot.left -= rounds * block;
        size_ = std::min(size_ + rounds * block, endless);
      }
    } else {
      Slots::Slot& slot = slots.current();
      const std::uint64_t count = std::min(block, slot.left);
      stretch.turns.push_back({slot.sequence, slot.next});
      slot.next += count;
      slot.left -= count;
      size_ += count;
      // As in tf.data: if a sequence ends within a block, its slot is free immediately. If it ends exactly with a
      // block, its slot becomes free only at its next turn.
      if (count < block) slot.empty = true;
      slots.advance();
    }
    stretches_.push_back(std::move(stretch));
    if (size_ < endless) continue;
    size_ = endless;
    return;
  }
}

Interleave::Element Interleave::at(std::uint64_t place) const {
  const auto following = std::upper_bound(stretches_.begin(), stretches_.end(), place,
                                          [](std::uint64_t at, const Stretch& stretch) { return at < stretch.first; });
  const Stretch& stretch = *(following - 1);
  const std::uint64_t in_stretch = place - stretch.first;
  const std::uint64_t in_round = stretch.turns.size() * block_;
  const Turn& turn = stretch.turns[in_stretch % in_round / block_];
  return {turn.sequence, turn.next + in_stretch / in_round * block_ + in_stretch % block_};
}

}  // namespace carrack::data
