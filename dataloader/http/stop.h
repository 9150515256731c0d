// Ends a request from another thread, wherever it waits.
#pragma once

#include <functional>
#include <mutex>

namespace carrack::data {

// What a request that was stopped says of itself.
inline constexpr const char* was_stopped = "was stopped";

class Stop {
 public:
  // From then on, also for a request that has not begun. What has ended stays as it is.
  void stop();
  bool stopped() const;

  // What ends that for which the request waits now; it must not wait itself. None: it waits for nothing any more, as
  // must be said before what `end` uses is gone. False: it is stopped.
  bool watch(std::function<void()> end);

 private:
  mutable std::mutex mutex_;  // Guards what follows.
  bool stopped_ = false;
  std::function<void()> end_;
};

}  // namespace carrack::data
