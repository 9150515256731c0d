// Simulated time: a queue of events by time. Events of the same time happen in the order in which they were added.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace carrack::train::simulation {

using Time = std::uint64_t;  // microseconds

constexpr Time millisecond = 1000;
constexpr Time second = 1000 * millisecond;

class Schedule {
 public:
  Time now() const { return now_; }
  std::uint64_t happened() const { return happened_; }

  void after(Time delay, std::function<void()> what) {
    due_.emplace(std::pair(now_ + delay, ++asked_), std::move(what));
  }

  // Returns false if no event is left.
  bool step() {
    if (due_.empty()) return false;
    auto next = due_.extract(due_.begin());
    now_ = next.key().first;
    ++happened_;
    next.mapped()();
    return true;
  }

 private:
  Time now_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t happened_ = 0;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> due_;
};

}  // namespace carrack::train::simulation
