#include "dataloader/order/block_order.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/order/place.h"

namespace carrack::data {
namespace {

// The maximum length of a run, because readers count the elements of a run in 32 bits.
constexpr std::uint64_t longest_run = std::uint64_t{1} << 31;

// The shuffle has a window of slots, each with one element, in groups of about this many. With more slots in a group,
// the computation of a place takes longer. With fewer, neighbours in the input are closer to each other in the output.
constexpr std::uint64_t slots_in_group = 32;

// Each epoch makes two draws of its own. These are the second arguments of Random::bits() for them. Permutations use
// small numbers there, so they have other draws.
enum Drawn : std::uint64_t { first_of_ring = ~std::uint64_t{0}, key_of_turns = ~std::uint64_t{1} };

}  // namespace

BlockOrder::BlockOrder(std::uint64_t size, Blocks blocks, const Random& random)
    : size_(size), block_(std::min({blocks.block, std::max<std::uint64_t>(size, 1), longest_run})), random_(random) {
  if (size >= endless)
    throw Error("block shuffle: has no end of its input to shuffle up to; shuffle first, then repeat");
  if (blocks.block == 0 || blocks.window == 0) throw Error("block shuffle: a block and a window hold at least one");
  const std::uint64_t window_size = std::min(blocks.window, size / block_) * block_;
  groups_ = std::max<std::uint64_t>(window_size / slots_in_group, 1);
  slots_ = window_size / groups_ * groups_;
  turns_ = (size - slots_) / groups_;
}

BlockOrder::Epoch::Epoch(const BlockOrder& order, std::uint64_t epoch)
    : order_(order),
      epoch_(epoch),
      first_(order.size_ > 0 ? order.random_.bits(epoch, first_of_ring) % order.size_ : 0),
      key_(order.random_.bits(epoch, key_of_turns)) {}

std::uint64_t BlockOrder::Epoch::drawn_slot(std::uint64_t turn, std::uint64_t group) const {
  const std::uint64_t drawn = scrambled(key_ + turn * order_.groups_ + group) >> 32;
  return (drawn * (order_.slots_ / order_.groups_) >> 32) * order_.groups_ + group;
}

const Permutation& BlockOrder::Epoch::of_turn(std::uint64_t turn) {
  const std::uint64_t size = turn < order_.turns_ ? order_.groups_ : order_.size_ - order_.turns_ * order_.groups_;
  return turns_.try_emplace(turn, size, order_.random_, key_ + turn + 1).first->second;
}

std::uint64_t BlockOrder::Epoch::read_index_at(std::uint64_t place) {
  std::uint64_t turn = std::min(place / order_.groups_, order_.turns_);
  const std::uint64_t drawn = of_turn(turn).at(place - turn * order_.groups_);
  // The last turn outputs the elements of all slots, and also the last elements of the input, which are too few for
  // another turn and are in no slot.
  if (turn == order_.turns_ && drawn >= order_.slots_) return turn * order_.groups_ + drawn;
  const std::uint64_t group = drawn % order_.groups_;
  const std::uint64_t slot = turn == order_.turns_ ? drawn : drawn_slot(turn, group);
  // The slot took in its current element in the last earlier turn in which it was drawn. Searches backwards for that
  // turn. If there is none, the slot still has its first element, whose read index is the number of the slot.
  while (turn-- > 0)
    if (drawn_slot(turn, group) == slot) return order_.slots_ + turn * order_.groups_ + of_turn(turn).place_of(group);
  return slot;
}

std::uint64_t BlockOrder::Epoch::place_of(std::uint64_t read_index) {
  std::uint64_t turn = 0, slot = read_index;
  if (read_index >= order_.slots_) {
    // The first slots_ elements fill the slots. Each later element replaces the element of the slot that its turn has
    // drawn, except in the last turn.
    const std::uint64_t after_slots = read_index - order_.slots_;
    turn = after_slots / order_.groups_;
    if (turn >= order_.turns_) {
      turn = order_.turns_;
      slot = read_index - turn * order_.groups_;
    } else {
      slot = drawn_slot(turn, of_turn(turn).at(after_slots % order_.groups_));
      ++turn;
    }
  }
  const std::uint64_t group = slot % order_.groups_;
  // The slot outputs the element in the next turn in which it is drawn. Searches forwards for that turn. If there is
  // none, the last turn outputs the element, because it empties all slots.
  for (; turn < order_.turns_; ++turn)
    if (drawn_slot(turn, group) == slot) return turn * order_.groups_ + of_turn(turn).place_of(group);
  return turn * order_.groups_ + of_turn(turn).place_of(slot);
}

// Treats the input as a ring, and divides it into runs from a random element on, so that the runs of each epoch begin
// at other elements. The last run of the ring may be incomplete. It is read last.
std::uint64_t BlockOrder::Epoch::input_number_of(std::uint64_t read_index) {
  const std::uint64_t run = read_index / order_.block_;
  if (!runs_) runs_.emplace(order_.size_ / order_.block_, order_.random_, key_);
  const std::uint64_t on_ring =
      (run < runs_->size() ? runs_->at(run) : run) * order_.block_ + read_index % order_.block_;
  return (first_ + on_ring) % order_.size_;
}

}  // namespace carrack::data
