// ProgressPoller reads the progress (step, loss, last checkpoint) of many jobs from their coordinators over HTTP, each
// about once a second, on four threads of its own. KubeCluster uses it. A poll of a coordinator that does not answer
// takes two seconds, and the pause until the next poll then grows up to 32 seconds. `job` is NAMESPACE/NAME. All
// functions may be called from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/runtime/progress_reader.h"

namespace carrack::control {

class ProgressPoller {
 public:
  // `on_news` is called with a job whose report has changed; the callee then reads report_of(). It is called on the
  // threads of this object, several at the same time, and without a lock, so it may call the functions below. It must
  // not be empty and must not throw.
  // - It is called immediately for a first report, a new checkpoint, evaluation or start, lost steps, a change of the
  //   hung members, the beginning and end of work on the data, and when is_unreachable() changes.
  // - For other changes, such as a new step, it is called at most every 5 seconds, since each call may cause a write of
  //   the job's status.
  // A coordinator from which no report could be read for `unreachable_after` is unreachable.
  explicit ProgressPoller(std::function<void(const std::string& job)> on_news,
                          std::chrono::seconds unreachable_after = std::chrono::seconds(60));
  // Waits for the polls in progress, up to two seconds, and for calls of `on_news`.
  ~ProgressPoller();

  // Starts polling this coordinator, and stops polling an earlier one of the job. No effect if it is followed already.
  // A source with another UID is another job with the same name: the report of the earlier job is dropped.
  void follow(const std::string& job, const ProgressSource& source) EXCLUDES(mutex_);
  // For a job without a running coordinator: stops polling; the last report stays. A poll in progress may still store a
  // newer report.
  void unfollow(const std::string& job) EXCLUDES(mutex_);
  // For a deleted job: forgets the job and its report, and drops the result of a poll in progress. `on_news` may still
  // be called for an earlier report.
  void forget(const std::string& job) EXCLUDES(mutex_);

  // Returns the last report of the job with this UID, perhaps of an earlier process of its coordinator
  // (CoordinatorReport::fence says which); nullopt if there is none. Does not wait for a poll.
  std::optional<CoordinatorReport> report_of(const std::string& job, const std::string& uid) const EXCLUDES(mutex_);
  // Returns how long ago the last report of the followed coordinator was read or, before the first one, how long the
  // coordinator has been followed. 0 if no job with this UID is known.
  std::chrono::seconds report_age(const std::string& job, const std::string& uid) const EXCLUDES(mutex_);
  // True if no report could be read from the followed coordinator for `unreachable_after`. unfollow() does not change
  // it.
  bool is_unreachable(const std::string& job, const std::string& uid) const EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  struct Followed {
    ProgressSource source;  // with an empty address it is not polled
    bool is_being_polled = false;
    int silent_in_a_row = 0;  // polls without a report that took at least a second
    Clock::time_point due;
    Clock::time_point last_heard;  // when the last report came; before the first, when following began
    bool is_unreachable = false;
    Clock::time_point next_news;
    std::optional<CoordinatorReport> report;
    std::optional<CoordinatorReport> announced;  // the report at the last call of on_news
  };
  struct Poll {
    std::string job;
    ProgressSource source;
    Clock::time_point begin;
  };

  void set_due(const std::string& job, Followed& followed, Clock::time_point due) REQUIRES(mutex_);
  void run() EXCLUDES(mutex_);
  std::optional<Poll> next_poll() EXCLUDES(mutex_);
  // Stores the result of a poll. Returns true if on_news is to be called.
  bool record(const Poll& poll, std::optional<CoordinatorReport> report) EXCLUDES(mutex_);

  const std::function<void(const std::string& job)> on_news_;
  const std::chrono::seconds unreachable_after_;
  mutable Mutex mutex_;
  ConditionVariable stop_signal_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::map<std::string, Followed> jobs_ GUARDED_BY(mutex_);
  // When each job is polled next, without those that are being polled.
  std::set<std::pair<Clock::time_point, std::string>> due_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace carrack::control
