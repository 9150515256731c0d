// Background: runs slow work of a role, such as writing to storage, on a separate thread, so that the role's own thread
// continues to handle its inbox (the queue of its messages). Work items run one after the other. The function that an
// item returns is then run on the role's thread, so it needs no locks:
//   background.run([this]() -> std::function<void()> {
//     return [this, size = write_file()] { report(size); };  // write_file() in the background, report() on the role's
//   });
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "dataloader/mutex.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

// Any thread may call run(). The destructor waits for all jobs that were passed to run(). Their Tasks (functions for
// the role's thread) are in the inbox before it returns, and may run later: they must not use destroyed objects.
class Background {
 public:
  // `inbox` must outlive this.
  explicit Background(Inbox& inbox) : inbox_(inbox), thread_([this] { work(); }) {}
  ~Background() {
    {
      const MutexLock lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Returns immediately. `job` runs on this object's thread, after the earlier ones. The function that it returns then
  // runs on the thread that handles the inbox. If `job` throws, the exception is thrown on that thread instead, and
  // ends the process if nothing catches it. Neither `job` nor the function that it returns may be empty.
  void run(std::function<std::function<void()>()> job) {
    {
      const MutexLock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

 private:
  void work() {
    while (const auto job = next()) {
      try {
        inbox_.put(Task{job()});
      } catch (...) {
        // The Task throws it on the thread of the inbox, where it can end the process.
        inbox_.put(Task{[failure = std::current_exception()] { std::rethrow_exception(failure); }});
      }
    }
  }

  // Waits for the next job. Returns an empty function if the destructor was called and no job is left.
  std::function<std::function<void()>()> next() {
    MutexLock lock(mutex_);
    while (jobs_.empty() && !ending_) wake_.wait(lock);
    if (jobs_.empty()) return {};
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  Inbox& inbox_;
  Mutex mutex_;
  ConditionVariable wake_;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::deque<std::function<std::function<void()>()>> jobs_ GUARDED_BY(mutex_);
  std::thread thread_;  // last: it uses all of the above
};

// A job that runs in the background again and again, such as a check of HEAD every few seconds. The first run is due
// `pause` after construction, and each other one `pause` after the previous one has ended, so runs never overlap. After
// a `job` that throws there are no further runs. Use it on the thread that handles the inbox. It must outlive
// `background` and the Tasks of `background`, which refer to it.
class Repeated {
 public:
  using Clock = std::chrono::steady_clock;

  // `job` runs in the background, and returns a function that the thread of the inbox then calls. Neither may be empty.
  Repeated(Background& background, Clock::duration pause, std::function<std::function<void()>()> job)
      : background_(background), pause_(pause), job_(std::move(job)), due_(Clock::now() + pause) {}

  // Starts a run if it is due, otherwise does nothing. Runs start only here, so call it often.
  void begin_if_due(Clock::time_point now) {
    if (now < due_) return;
    due_ = Clock::time_point::max();  // no other run is due before this one has ended
    background_.run([this]() -> std::function<void()> {
      return [this, then = job_()] {
        due_ = Clock::now() + pause_;
        then();
      };
    });
  }

 private:
  Background& background_;
  Clock::duration pause_;
  std::function<std::function<void()>()> job_;
  Clock::time_point due_;
};

}  // namespace carrack::train
