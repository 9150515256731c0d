#include "trainer/comm/protocol/arrival_sum.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {

bool ArrivalSum::add(const LaneRun& run, const LaneCounts& counts, Piece piece) {
  CHECK(is_valid(run));
  CHECK(piece.total() > 0);
  if (run.assignment < assignment_) return true;
  if (run.assignment > assignment_ || run.lanes_in_batch != lanes_in_batch_) {
    clear();
    assignment_ = run.assignment;
    lanes_in_batch_ = run.lanes_in_batch;
  }
  Arrived* arrived = arrived_of(run);
  if (arrived == nullptr) return true;
  if (piece.begin() > arrived->values) return false;
  if (piece.end() <= arrived->values) return true;
  const bool is_last = piece.is_last();
  const std::size_t begin = std::exchange(arrived->values, piece.end());
  add_values(begin, std::move(piece));
  if (is_last) {
    lanes_added_ += run.end - run.begin;
    add_to(sum_.counts, counts);
  }
  return true;
}

// Returns the entry of `run` (neighbouring lanes, whose sum one worker sends), and adds an entry if there is none.
// Returns null if `run` overlaps a different run, because a lane must not count twice.
ArrivalSum::Arrived* ArrivalSum::arrived_of(const LaneRun& run) {
  const auto after = runs_.lower_bound(run.begin);
  if (after != runs_.end() && after->first == run.begin && after->second.end_lane == run.end) return &after->second;
  if (after != runs_.end() && after->first < run.end) return nullptr;
  if (after != runs_.begin() && std::prev(after)->second.end_lane > run.begin) return nullptr;
  return &runs_.emplace_hint(after, run.begin, Arrived{run.end})->second;
}

// Adds the values of the piece from `begin` on to the sum. Only the first `set_` elements of the sum have a value yet,
// so the values for later elements are copied there.
void ArrivalSum::add_values(std::size_t begin, Piece piece) {
  const std::size_t end = piece.end();
  if (set_ == 0 && piece.is_whole()) {
    sum_.sum = std::move(piece).take_whole().take();
  } else {
    if (set_ == 0) sum_.sum = Floats(piece.total());
    CHECK_EQ(sum_.sum.size(), piece.total());
    const std::size_t unset = std::clamp(set_, begin, end);
    const std::span<float> values(sum_.sum);
    piece.add(begin, values.subspan(begin, unset - begin));
    piece.copy(unset, values.subspan(unset, end - unset));
  }
  set_ = std::max(set_, end);
}

std::optional<LaneSum> ArrivalSum::take_total() {
  if (lanes_added_ == 0 || lanes_added_ != lanes_in_batch_) return std::nullopt;
  LaneSum total = std::move(sum_);
  clear();
  return total;
}

void ArrivalSum::clear() {
  lanes_added_ = 0;
  runs_.clear();
  set_ = 0;
  sum_ = {};
}

}  // namespace carrack::train
