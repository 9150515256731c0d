#include "dataloader/storage/remote/backoff.h"

#include <algorithm>

namespace carrack::data {

std::optional<std::chrono::milliseconds> Backoff::next() {
  auto delay = limits_.first_delay;
  for (int i = 0; i < failed_ && delay < limits_.longest_delay; ++i) delay *= 4;
  return jittered(std::min(delay, limits_.longest_delay));
}

std::optional<std::chrono::milliseconds> Backoff::next_longest() {
  return jittered(limits_.longest_delay);
}

std::optional<std::chrono::milliseconds> Backoff::jittered(std::chrono::milliseconds delay) {
  if (++failed_ >= limits_.tries) return std::nullopt;
  std::uniform_int_distribution<std::chrono::milliseconds::rep> share(delay.count() / 2, delay.count());
  return std::chrono::milliseconds(share(jitter_));
}

}  // namespace carrack::data
