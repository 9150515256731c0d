// The queue of events that a role handles: parts of frames that arrived, streams that ended, and tasks from the role's
// other threads. Any thread may put an event; one thread takes them, and it may take those of several roles. The queue
// itself has no bound: a stream between processes has at most `unhandled_max` messages in it, and within a process each
// role has, by the protocol, only a few frames under way.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "dataloader/mutex.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/peer_id.h"

namespace carrack::train {

// A stream reads no further while so many of its messages are not handled.
constexpr int unhandled_max = 4;

struct Arrived {
  PeerId from = 0;
  FramePart part;
  // The message is handled when this is released, so that the stream may read another. Null within a process. A role
  // must not keep it while it waits for the same peer.
  std::shared_ptr<void> unhandled = {};
};

// The last event of a stream.
struct Closed {
  PeerId peer = 0;
  std::string why;
};

// A function from another thread of this process, to be run by the thread that handles the events.
struct Task {
  std::function<void()> run;
};

using Event = std::variant<Arrived, Closed, Task>;

// The inboxes whose events one thread takes.
class InboxGroup {
 public:
  // Waits until an event is in one of them, but not longer than until `deadline`.
  void wait_until(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    while (events_ == 0 && arrived_.wait_until(lock, deadline) != std::cv_status::timeout) {
    }
  }

 private:
  friend class Inbox;

  Mutex mutex_;
  ConditionVariable arrived_;
  std::size_t events_ GUARDED_BY(mutex_) = 0;  // in all inboxes
};

class Inbox {
 public:
  // An inbox of a group of its own.
  Inbox() : Inbox(std::make_shared<InboxGroup>()) {}
  explicit Inbox(std::shared_ptr<InboxGroup> group) : group_(std::move(group)) {}

  void put(Event event) {
    put_silently(std::move(event));
    group_->arrived_.notify_one();
  }
  // Does not wake the thread that takes the events: another event must follow soon that does.
  void put_silently(Event event) {
    const MutexLock lock(group_->mutex_);
    events_.push_back(std::move(event));
    ++group_->events_;
  }

  // The events that are there.
  std::deque<Event> take_all() {
    const MutexLock lock(group_->mutex_);
    group_->events_ -= events_.size();
    return std::exchange(events_, {});
  }

  // Waits for the next event until `deadline`; nullopt if none has come by then.
  std::optional<Event> next(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(group_->mutex_);
    while (events_.empty()) {
      if (group_->arrived_.wait_until(lock, deadline) == std::cv_status::timeout && events_.empty()) {
        return std::nullopt;
      }
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    --group_->events_;
    return event;
  }

  // Waits for an event until `deadline`, then calls `handle` for each event that is there. It returns at `deadline` at
  // the latest, also if more events keep coming, so that the caller can do its periodic work.
  template <class Handle>
  void handle_all(std::chrono::steady_clock::time_point deadline, const Handle& handle) {
    auto event = next(deadline);
    while (event) {
      handle(*event);
      const auto now = std::chrono::steady_clock::now();
      event = now < deadline ? next(now) : std::nullopt;
    }
  }

 private:
  std::shared_ptr<InboxGroup> group_;
  std::deque<Event> events_ GUARDED_BY(group_->mutex_);
};

}  // namespace carrack::train
