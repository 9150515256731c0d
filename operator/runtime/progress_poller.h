// Asks the coordinators of all jobs for their progress, about once a second each, on a few threads of its own. A
// coordinator that does not answer holds one of these threads for two seconds, and is then asked less often.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/runtime/progress_reader.h"

namespace carrack::control {

class ProgressPoller {
 public:
  // `on_news` is called from any thread, with a job whose report has changed: at once for a new checkpoint, a new start
  // or a drained job, otherwise every few seconds, since each call causes a write of the job's status.
  explicit ProgressPoller(std::function<void(const std::string& job)> on_news);
  ~ProgressPoller();

  // Asks this coordinator from now on. A source with another UID is another job with the same name: the report of the
  // former one is dropped.
  void follow(const std::string& job, const ProgressSource& source) EXCLUDES(mutex_);
  // Asks no more; the last report stays.
  void unfollow(const std::string& job) EXCLUDES(mutex_);
  // Drops the job and its report.
  void forget(const std::string& job) EXCLUDES(mutex_);

  // The last report of the job with this UID.
  std::optional<CoordinatorReport> report_of(const std::string& job, const std::string& uid) const EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  struct Followed {
    ProgressSource source;  // an empty address: nobody to ask
    bool is_being_asked = false;
    int silent_in_a_row = 0;  // polls without an answer that took long
    Clock::time_point due;
    Clock::time_point next_news;
    std::optional<CoordinatorReport> report;
    std::optional<CoordinatorReport> announced;  // as of the last call of on_news
  };
  struct Poll {
    std::string job;
    ProgressSource source;
    Clock::time_point begin;
  };

  void run() EXCLUDES(mutex_);
  std::optional<Poll> next_poll() EXCLUDES(mutex_);
  // Returns whether on_news is to be called.
  bool record(const Poll& poll, std::optional<CoordinatorReport> report) EXCLUDES(mutex_);

  const std::function<void(const std::string& job)> on_news_;
  mutable Mutex mutex_;
  ConditionVariable stop_signal_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::map<std::string, Followed> jobs_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace carrack::control
