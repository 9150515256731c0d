#include "trainer/comm/protocol/runs.h"

#include <algorithm>

#include "dataloader/check.h"

namespace carrack::train {

BatchSet::BatchSet(const std::vector<BatchRun>& runs) {
  for (const BatchRun& run : runs) add(run);
}

bool BatchSet::add(std::uint64_t number) {
  CHECK_LT(number, batch_end_max);
  if (contains(number)) return false;
  add(BatchRun{number, number + 1});
  return true;
}

void BatchSet::add(BatchRun run) {
  if (run.begin >= run.end) return;
  auto next = end_of_.upper_bound(run.begin);
  if (next != end_of_.begin() && std::prev(next)->second >= run.begin) --next;
  while (next != end_of_.end() && next->first <= run.end) {
    run.begin = std::min(run.begin, next->first);
    run.end = std::max(run.end, next->second);
    next = end_of_.erase(next);
  }
  CHECK(end_of_.emplace(run.begin, run.end).second);
}

bool BatchSet::contains(std::uint64_t number) const {
  return first_absent(number) != number;
}

std::uint64_t BatchSet::first_absent(std::uint64_t from) const {
  const auto next = end_of_.upper_bound(from);
  if (next == end_of_.begin()) return from;
  return std::max(from, std::prev(next)->second);
}

std::uint64_t BatchSet::upper_bound() const {
  return end_of_.empty() ? 0 : end_of_.rbegin()->second;
}

std::uint64_t BatchSet::count() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : end_of_) sum += end - begin;
  return sum;
}

std::vector<BatchRun> BatchSet::list() const {
  std::vector<BatchRun> runs;
  for (const auto& [begin, end] : end_of_) runs.push_back({begin, end});
  return runs;
}

BatchSet intersection(const BatchSet& left, const BatchSet& right) {
  BatchSet both;
  auto one = left.end_of_.begin();
  auto other = right.end_of_.begin();
  while (one != left.end_of_.end() && other != right.end_of_.end()) {
    both.add(BatchRun{std::max(one->first, other->first), std::min(one->second, other->second)});
    one->second < other->second ? ++one : ++other;
  }
  return both;
}

}  // namespace carrack::train
