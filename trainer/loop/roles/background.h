// Work that may take long, done in order on a thread of its own; what follows from it runs on the thread of the inbox.
// What a job throws is thrown there too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

class Background {
 public:
  explicit Background(Inbox& inbox) : inbox_(inbox), thread_([this](const std::stop_token& stop) { work(stop); }) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // `job` returns what is to follow.
  void run(std::function<std::function<void()>()> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

 private:
  void work(const std::stop_token& stop) {
    while (true) {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      try {
        inbox_.put(Task{job()});
      } catch (...) {
        // Carried over whatever it is; the role's thread, which can end the process, throws it again.
        inbox_.put(Task{[failure = std::current_exception()] { std::rethrow_exception(failure); }});
      }
    }
  }

  Inbox& inbox_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<std::function<void()>()>> jobs_;
  std::jthread thread_;  // Last: it uses all of the above.
};

// A job that is done in the background again and again, each time a while after it was done last: never twice at once,
// however long it takes. Outlives the work of `background`.
class Repeated {
 public:
  using Clock = std::chrono::steady_clock;

  // `job` returns what is to follow.
  Repeated(Background& background, Clock::duration pause, std::function<std::function<void()>()> job)
      : background_(background), pause_(pause), job_(std::move(job)), due_(Clock::now() + pause) {}

  void begin_if_due(Clock::time_point now) {
    if (now < due_) return;
    due_ = Clock::time_point::max();
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
