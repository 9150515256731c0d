#include "dataloader/http/pace.h"

#include <utility>

namespace carrack::data {

bool Pace::keeps(std::uint64_t bytes, Clock::time_point now) {
  if (!since_) since_ = now;
  bytes_ += bytes;
  if (now - *since_ < window_) return true;
  since_ = now;
  return std::exchange(bytes_, 0) >= least_;
}

}  // namespace carrack::data
