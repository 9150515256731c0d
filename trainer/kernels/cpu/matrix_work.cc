#include "trainer/kernels/cpu/matrix_work.h"

#include <algorithm>
#include <bit>
#include <new>

namespace carrack::train::cpu {
namespace {

constexpr std::align_val_t alignment{64};

}  // namespace

int levels_of(const LaneEnds& lane_ends) {
  return std::countr_zero(std::max<std::size_t>(lane_ends.size(), 1));
}

Workspace::~Workspace() {
  ::operator delete(floats_, alignment);
}

float* Workspace::floats(std::int64_t count) {
  if (count > size_) {
    ::operator delete(floats_, alignment);
    floats_ = nullptr;
    size_ = 0;
    floats_ = static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), alignment));
    size_ = count;
  }
  return floats_;
}

std::span<const Segment> Workspace::segments(const LaneEnds& lane_ends, std::int64_t begin, std::int64_t end) {
  segments_.clear();
  // A lane belongs to the block in which it ends. So the loop skips the lanes that end in earlier blocks, and also
  // empty lanes that end exactly at `begin`, where the earlier block ends.
  std::size_t lane = 0;
  while (begin > 0 && lane < lane_ends.size() && lane_ends[lane] <= begin) ++lane;
  for (; lane < lane_ends.size() && lane_ends[lane] <= end; ++lane) {
    const int joins = std::countr_one(lane);
    segments_.push_back({lane_ends[lane] - begin, joins, lane + 1 == lane_ends.size() ? -1 : joins});
    begin = lane_ends[lane];
  }
  if (lane_ends.empty() || begin < end) segments_.push_back({end - begin, 0, -1});
  return segments_;
}

}  // namespace carrack::train::cpu
