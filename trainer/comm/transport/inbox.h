// Inbox: the queue of events for the thread that runs a role (coordinator, parameter server or worker): parts of frames
// that arrived, streams that ended, and functions to call. Any thread may put events; one thread removes and handles
// them in the order in which they were put. With strategy Single one thread does that for all roles of the process
// (InboxGroup). The queue has no limit of its own: a stream between processes puts at most `unhandled_max` messages
// into it, and within a process the protocol limits the number of frames.
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

// A stream stops reading while this number of its messages are in the inbox or being handled.
constexpr int unhandled_max = 4;

// A part of a frame that arrived on a stream.
struct Arrived {
  PeerId from = 0;
  FramePart part;
  // When the last copy of this pointer is destroyed, the message counts as handled, and the stream may read another
  // one. So a role must not store it while it waits for the same peer. Null within a process.
  std::shared_ptr<void> unhandled = {};
};

// A stream has ended, no matter which side ended it. This is the last event of the stream. `why` is the reason as text.
struct Closed {
  PeerId peer = 0;
  std::string why;
};

// A function that another thread passes to the thread that handles the events, which calls it.
struct Task {
  std::function<void()> run;
};

using Event = std::variant<Arrived, Closed, Task>;

// A group of inboxes whose events are handled by the same thread, which can wait for all of them at once. Thread-safe,
// but only one thread may wait.
class InboxGroup {
 public:
  // Waits until any inbox of the group has an event, but at most until `deadline`. Removes no event.
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

// put() and put_silently() are thread-safe. One thread calls the other functions.
class Inbox {
 public:
  // Makes an inbox in a group of its own.
  Inbox() : Inbox(std::make_shared<InboxGroup>()) {}
  // `group` must not be null.
  explicit Inbox(std::shared_ptr<InboxGroup> group) : group_(std::move(group)) {}
  // Drops the events that are left.
  ~Inbox() { take_all(); }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Adds an event, and wakes the thread that waits for events.
  void put(Event event) {
    put_silently(std::move(event));
    group_->arrived_.notify_one();
  }
  // Adds an event without waking the thread that waits for events, to save time. Another event must follow soon, with
  // put().
  void put_silently(Event event) {
    const MutexLock lock(group_->mutex_);
    events_.push_back(std::move(event));
    ++group_->events_;
  }

  // Removes and returns all events that are in the inbox, which may be none, without waiting.
  std::deque<Event> take_all() {
    const MutexLock lock(group_->mutex_);
    group_->events_ -= events_.size();
    return std::exchange(events_, {});
  }

  // Waits for the next event until `deadline`, and removes and returns it. Returns nullopt if none has arrived by then.
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

  // Waits for an event until `deadline`, then calls `handle(Event&)` for each event in the inbox. Returns at `deadline`
  // even if more events keep arriving, so that the caller can do its periodic work. If `handle` throws, that event is
  // removed, and the others stay in the inbox.
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
