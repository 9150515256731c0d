#include "trainer/comm/protocol/arrival_sum.h"

#include <iterator>

#include "dataloader/check.h"

namespace carrack::train {

void ArrivalSum::add(const LaneRun& run, LaneSum sum) {
  CHECK(is_valid(run));
  if (run.assignment < assignment_) return;
  if (run.assignment > assignment_ || run.lanes_in_batch != lanes_in_batch_) {
    clear();
    assignment_ = run.assignment;
    lanes_in_batch_ = run.lanes_in_batch;
  }
  const auto after = added_.lower_bound(run.begin);
  if (after != added_.end() && after->first < run.end) return;
  if (after != added_.begin() && std::prev(after)->second > run.begin) return;
  added_.emplace(run.begin, run.end);
  lanes_added_ += run.end - run.begin;
  if (!sum_) {
    sum_ = std::move(sum);
  } else {
    add_to(*sum_, sum);
  }
}

std::optional<LaneSum> ArrivalSum::take_total() {
  if (!sum_ || lanes_added_ != lanes_in_batch_) return std::nullopt;
  std::optional<LaneSum> total = std::move(sum_);
  clear();
  return total;
}

void ArrivalSum::clear() {
  lanes_added_ = 0;
  added_.clear();
  sum_.reset();
}

}  // namespace carrack::train
