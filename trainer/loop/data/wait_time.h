// Adds up the time for which one thread waits for something, such as a worker for its records. Other threads may read
// the sum meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace carrack::train {

class WaitTime {
 public:
  // One wait, from construction to destruction. Only one Span of a WaitTime may exist at a time.
  class Span {
   public:
    explicit Span(WaitTime& time) : time_(time) { time_.began_ = now(); }
    ~Span() {
      time_.ended_ += now() - time_.began_;
      time_.began_ = 0;
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    WaitTime& time_;
  };

  // True while a Span exists. Any thread may call it.
  bool is_under_way() const { return began_ != 0; }
  // The sum of all waits, including the one that is under way. Any thread may call it. If a wait ends during the call,
  // the result may count it twice.
  std::chrono::nanoseconds so_far() const {
    const std::int64_t began = began_;
    return std::chrono::nanoseconds(ended_ + (began == 0 ? 0 : now() - began));
  }

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::atomic<std::int64_t> ended_ = 0, began_ = 0;  // in nanoseconds; began_ is 0 while there is no wait
};

}  // namespace carrack::train
