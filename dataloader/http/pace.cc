#include "dataloader/http/pace.h"

#include <utility>

namespace carrack::data {

bool Pace::add(std::uint64_t bytes, Clock::time_point now) {
  if (!window_start_) window_start_ = now;
  window_bytes_ += bytes;
  if (now - *window_start_ < window_) return true;
  window_start_ = now;
  return std::exchange(window_bytes_, 0) >= window_bytes_min_;
}

}  // namespace carrack::data
