#include "trainer/kernels/lanes.h"

#include <algorithm>
#include <bit>

#include "trainer/error.h"

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
    // A subtree begins at a multiple of its size, so it is at most the lowest set bit of `begin`.
    const std::uint64_t fits = std::bit_floor(end - begin);
    const std::uint64_t size = begin == 0 ? fits : std::min(fits, begin & (~begin + 1));
    subtrees.push_back({static_cast<int>(begin), static_cast<int>(size)});
    begin += size;
  }
  return subtrees;
}

}  // namespace carrack::train
