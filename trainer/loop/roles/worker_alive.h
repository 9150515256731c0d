// WorkerAlive: makes the content of a worker's Alive messages, the heartbeats to the coordinator: what the worker does
// now, for how long, and which servers it reaches. By it the coordinator detects hung workers. The worker's thread
// reports with does() and link(); the separate thread of Membership, which sends Alive, calls take(). So Alive is sent
// even while the worker's own threads hang.
#pragma once

#include <algorithm>
#include <chrono>

#include "dataloader/mutex.h"
#include "trainer/comm/protocol/activity.h"
#include "trainer/loop/data/training_data.h"

namespace carrack::train {

class WorkerAlive {
 public:
  // `data` must outlive this. `has_program` is true if the user's program computes the gradients.
  WorkerAlive(const TrainingData& data, bool has_program) : data_(data), has_program_(has_program) {}

  // does() and link() are those of Activity: does() records what the worker does from `now` on, and link() whether it
  // has an open stream to a server. Any thread may call them.
  void does(const Worker::Doing& doing, Instant now) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    activity_.does(doing, now);
  }
  void link(std::uint32_t server, std::uint32_t incarnation, bool is_open, Instant now) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    activity_.link(server, incarnation, is_open, now);
  }

  // Returns what the worker does, and which servers it reaches, without Alive.input_wait. Any thread may call it.
  wire::Alive say_now() const EXCLUDES(mutex_) {
    wire::Alive alive;
    const MutexLock lock(mutex_);
    activity_.add_to(alive, computes(), std::chrono::steady_clock::now());
    return alive;
  }

  // Returns say_now() with Alive.input_wait: the share, from 0 to 1, of the time since the last take() in which the
  // worker waited for records. Call it always on the same thread, which need not be the worker's.
  wire::Alive take() EXCLUDES(mutex_) {
    wire::Alive alive = say_now();
    const Instant now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds waited = data_.waited();
    const double share = std::chrono::duration<double>(waited - waited_before_) / (now - before_);
    alive.set_input_wait(std::clamp(share, 0.0, 1.0));
    before_ = now;
    waited_before_ = waited;
    return alive;
  }

 private:
  wire::Work::Kind computes() const {
    if (data_.is_waiting()) return wire::Work::RECORDS;
    return has_program_ ? wire::Work::PROGRAM : wire::Work::COMPUTING;
  }

  const TrainingData& data_;
  const bool has_program_;
  Instant before_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds waited_before_ = data_.waited();
  mutable Mutex mutex_;
  Activity activity_ GUARDED_BY(mutex_);
};

}  // namespace carrack::train
