// What a member waits for: frames that arrive, streams that end, and work of its own that is done, in one queue
// handled by one thread. Bounded by the protocol: every peer may have a few frames under way, and no more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/peer_id.h"

namespace carrack::train {

struct Arrived {
  PeerId from = 0;
  Frame frame;
};

struct Closed {
  PeerId peer = 0;
  std::string why;
};

// Handed over from a thread of our own, to be run by the one that owns the state.
struct Task {
  std::function<void()> run;
};

using Event = std::variant<Arrived, Closed, Task>;

class Inbox {
 public:
  void put(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    arrived_.notify_one();
  }

  // The next event, or nothing when `until` has come.
  std::optional<Event> next(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_until(lock, until, [this] { return !events_.empty(); })) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  // Hands over all that is there, and waits for the first of it until `turn_ends`; where events come without end, no
  // longer than that, so that whoever owns the state has a turn too.
  template <class Handle>
  void hand_over(std::chrono::steady_clock::time_point turn_ends, const Handle& handle) {
    auto event = next(turn_ends);
    while (event) {
      handle(*event);
      const auto now = std::chrono::steady_clock::now();
      event = now < turn_ends ? next(now) : std::nullopt;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Event> events_;
};

}  // namespace carrack::train
