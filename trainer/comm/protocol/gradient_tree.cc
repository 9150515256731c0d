#include "trainer/comm/protocol/gradient_tree.h"

#include <algorithm>
#include <bit>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

using Key = std::pair<int, int>;

// Subtrees are either disjoint, or one contains the other.
bool contains(Key outer, Key inner) {
  return outer.first <= inner.first && inner.first + inner.second <= outer.first + outer.second;
}

Key parent(Key child) {
  return {child.first & ~child.second, child.second * 2};
}
Key sibling(Key child) {
  return {child.first ^ child.second, child.second};
}

// Adds the left lanes first, whichever part arrived first, so that rounding is always the same.
LaneSum combined(LaneSum left, const LaneSum& right) {
  add_to(left, right);
  return left;
}

}  // namespace

void add_to(LaneCounts& counts, const LaneCounts& other) {
  counts.records += other.records;
  counts.loss += other.loss;
  add_to(counts.skipped, other.skipped);
}

void add_to(LaneSum& sum, const LaneSum& other) {
  CHECK_EQ(sum.sum.size(), other.sum.size());
  for (std::size_t i = 0; i < sum.sum.size(); ++i) sum.sum[i] += other.sum[i];
  add_to(sum.counts, other.counts);
}

bool GradientTree::fits(Subtree subtree) const {
  return subtree.size > 0 && std::has_single_bit(static_cast<unsigned>(subtree.size)) && subtree.size <= lanes_ &&
         subtree.begin >= 0 && subtree.begin % subtree.size == 0 && subtree.begin <= lanes_ - subtree.size;
}

void GradientTree::add(Subtree subtree, LaneSum part) {
  CHECK(fits(subtree));
  Key key{subtree.begin, subtree.size};
  const auto has_it = [&](const auto& other) { return contains(other.first, key); };
  if (std::any_of(parts_.begin(), parts_.end(), has_it)) return;
  std::erase_if(parts_, [&](const auto& smaller) { return contains(key, smaller.first); });
  while (key.second < lanes_) {
    const auto other = parts_.find(sibling(key));
    if (other == parts_.end()) break;
    const bool left = key < other->first;
    part = left ? combined(std::move(part), other->second) : combined(std::move(other->second), part);
    parts_.erase(other);
    key = parent(key);
  }
  parts_.emplace(key, std::move(part));
}

std::optional<LaneSum> GradientTree::take_total() {
  const auto root = parts_.find(Key{0, lanes_});
  if (root == parts_.end()) return std::nullopt;
  LaneSum total = std::move(root->second);
  parts_.clear();
  return total;
}

}  // namespace carrack::train
