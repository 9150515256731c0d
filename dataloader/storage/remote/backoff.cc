#include "dataloader/storage/remote/backoff.h"

#include <algorithm>

namespace carrack::data {

std::optional<std::chrono::milliseconds> Backoff::next(bool quick) {
  if (++failed_ >= limits_.tries) return std::nullopt;
  auto due = quick ? limits_.first : limits_.longest;
  for (int i = 1; i < failed_ && due < limits_.longest; ++i) due *= 4;
  due = std::min(due, limits_.longest);
  std::uniform_int_distribution<std::chrono::milliseconds::rep> share(due.count() / 2, due.count());
  return std::chrono::milliseconds(share(jitter_));
}

}  // namespace carrack::data
