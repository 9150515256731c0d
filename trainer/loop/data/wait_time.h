// Adds up how long one thread waits for something, while others ask for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace carrack::train {

class WaitTime {
 public:
  // One wait, from its construction to its destruction. Only one at a time.
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

  // True while there is a wait. Any thread may call this.
  bool is_under_way() const { return began_ != 0; }
  // All waits so far, with the part of the present one. Any thread may call this. At the moment when a wait ends the
  // result may have it twice.
  std::chrono::nanoseconds so_far() const {
    const std::int64_t began = began_;
    return std::chrono::nanoseconds(ended_ + (began == 0 ? 0 : now() - began));
  }

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::atomic<std::int64_t> ended_ = 0, began_ = 0;  // in nanoseconds; began_ is 0 while nothing waits
};

}  // namespace carrack::train
