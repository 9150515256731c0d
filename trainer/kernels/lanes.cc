#include "trainer/kernels/lanes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "trainer/error.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {

Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index) {
  const std::int64_t each = total / parts, larger = total % parts;
  const std::int64_t begin = index * each + std::min(index, larger);
  return {begin, begin + each + (index < larger ? 1 : 0)};
}

void LaneEnds::require(std::int64_t end) const {
  const bool fit = empty() || (std::has_single_bit(size()) && rows_.front() >= 0 && (*this)[size() - 1] == end &&
                               std::is_sorted(rows_.begin(), rows_.end()));
  if (!fit) throw Error(Blame::bug, "lanes that do not make up their rows");
}

std::vector<Subtree> aligned_subtrees(Range run) {
  std::vector<Subtree> subtrees;
  std::uint64_t begin = static_cast<std::uint64_t>(run.begin);
  const std::uint64_t end = static_cast<std::uint64_t>(run.end);
  while (begin < end) {
    const std::uint64_t fits = std::bit_floor(end - begin);
    const std::uint64_t size = begin == 0 ? fits : std::min(fits, begin & (~begin + 1));  // The lowest bit of begin.
    subtrees.push_back({static_cast<int>(begin), static_cast<int>(size)});
    begin += size;
  }
  return subtrees;
}

TreeSum::TreeSum(int lanes, std::size_t size) : lanes_(lanes), size_(size) {
  if (lanes < 1 || !std::has_single_bit(static_cast<unsigned>(lanes))) {
    throw Error(Blame::bug, "TreeSum: " + std::to_string(lanes) + " lanes are not a power of two");
  }
  if (size == 0) throw Error(Blame::bug, "TreeSum: nothing to sum");
  sums_.resize(2 * static_cast<std::size_t>(lanes));
  added_.resize(static_cast<std::size_t>(lanes));
}

std::vector<float> TreeSum::buffer() {
  if (free_.empty()) return std::vector<float>(size_);
  std::vector<float> values = std::move(free_.back());
  free_.pop_back();
  return values;
}

void TreeSum::add(Subtree subtree, std::vector<float> values) {
  const auto [begin, size] = subtree;
  const bool is_subtree = size > 0 && std::has_single_bit(static_cast<unsigned>(size)) && begin >= 0 &&
                          begin % size == 0 && begin <= lanes_ - size;
  if (!is_subtree || values.size() != size_) throw Error(Blame::bug, "TreeSum: not a sum of a subtree of these lanes");
  for (int lane = begin; lane < begin + size; ++lane) {
    if (added_[static_cast<std::size_t>(lane)]) {
      throw Error(Blame::bug, "TreeSum: lane " + std::to_string(lane) + " comes twice");
    }
  }
  std::fill_n(added_.begin() + begin, size, true);
  const int own_node = lanes_ / size + begin / size;
  auto node = static_cast<std::size_t>(own_node);
  for (; node > 1 && !sums_[node ^ 1].empty(); node /= 2) {
    std::vector<float> sibling = std::exchange(sums_[node ^ 1], {});
    // The sum of two floats does not depend on their order, so the earlier half can be added to the later one.
    cpu::accumulate(values, sibling);
    free_.push_back(std::move(sibling));
  }
  sums_[node] = std::move(values);
}

std::span<const float> TreeSum::total() const {
  if (!complete()) throw Error(Blame::bug, "TreeSum: lanes are missing");
  return sums_[1];
}

std::vector<TreeSum::Partial> TreeSum::partials() const {
  std::vector<Partial> found;
  for (std::size_t node = 1; node < sums_.size(); ++node) {
    if (sums_[node].empty()) continue;
    const int size = lanes_ / static_cast<int>(std::bit_floor(node));
    found.push_back({{(static_cast<int>(node) * size) - lanes_, size}, sums_[node]});
  }
  std::ranges::sort(found, {}, [](const Partial& partial) { return partial.subtree.begin; });
  return found;
}

void TreeSum::clear() {
  for (std::vector<float>& values : sums_) {
    if (!values.empty()) free_.push_back(std::exchange(values, {}));
  }
  added_.assign(added_.size(), false);
}

}  // namespace carrack::train
