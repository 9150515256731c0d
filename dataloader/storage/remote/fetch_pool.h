// FetchPool: the threads that download byte ranges of remote objects in parallel. A reader makes a RangeFetch for each
// range, passes it to start(), and waits for it by RangeFetch::wait(). Each remote storage of the process has one pool.
//
// At most 64 requests run at the same time. They begin in the order in which fetches were started, but retries come
// first. A monitor thread starts a hedge (a second request for the same bytes) for a request that stalls, as far as a
// RetryBudget allows; up to 8 hedges run in addition to the 64 requests. A fetch that waits for its next try occupies
// no thread.
//
// Threads are started when they are needed and end with the pool. If the system refuses to start more, those that there
// are run all requests. The destructor cancels all fetches that are not over, and waits for the threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "dataloader/storage/remote/range_client.h"
#include "dataloader/storage/remote/range_fetch.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/stall_threshold.h"

namespace carrack::data {

class FetchPool {
 public:
  // The client must outlive the pool.
  explicit FetchPool(RangeClient& client) : client_(client) {}
  ~FetchPool();
  FetchPool(const FetchPool&) = delete;
  FetchPool& operator=(const FetchPool&) = delete;

  // Queues the fetch and returns immediately; RangeFetch::wait() returns its result. Start each fetch once. Throws
  // std::system_error if the system refuses to start the first threads: cancel the fetch then. Safe for many threads.
  void start(std::shared_ptr<RangeFetch> fetch);

 private:
  using Clock = RangeFetch::Clock;
  using FetchPtr = std::shared_ptr<RangeFetch>;

  // At 100 MB/s for each request, 64 requests receive 6.4 GB/s.
  static constexpr std::size_t requests_max = 64;
  static constexpr std::size_t hedges_max = 8;  // in addition to requests_max

  struct Job {
    FetchPtr fetch;
    bool is_hedge = false;
  };
  std::size_t runnable() const REQUIRES(mutex_);  // number of queued jobs that may start
  Job take_job() REQUIRES(mutex_);
  void finish_job(const Job& job, std::optional<std::chrono::milliseconds> retry_delay) REQUIRES(mutex_);
  void add_worker_if_needed() REQUIRES(mutex_);
  // Runs jobs until the pool ends: the function of each worker thread.
  void work();
  // Sends one request of the fetch. Returns how long to wait before the fetch is tried again; nullopt if it is not
  // tried again.
  std::optional<std::chrono::milliseconds> run(const Job& job);
  // Queues retries and hedges until the pool ends: the function of the monitor thread.
  void monitor();
  // Queues the retries that are due and the hedges that are granted; returns when to call it again.
  Clock::time_point queue_retries_and_hedges() REQUIRES(mutex_);

  RangeClient& client_;
  StallThreshold stall_threshold_;
  RetryBudget hedge_budget_{{.share = 0.05, .reserve_max = 5}};

  Mutex mutex_;
  ConditionVariable job_added_;        // wakes workers
  ConditionVariable running_changed_;  // wakes the monitor
  bool ending_ GUARDED_BY(mutex_) = false;
  std::deque<FetchPtr> queue_ GUARDED_BY(mutex_);
  std::deque<FetchPtr> hedge_queue_ GUARDED_BY(mutex_);
  std::multimap<Clock::time_point, FetchPtr> retries_ GUARDED_BY(mutex_);  // by the time of the next try
  std::vector<FetchPtr> running_ GUARDED_BY(mutex_);                       // fetches whose request runs, without hedges
  std::size_t hedges_running_ GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);  // the monitor, then the workers; empty before the first fetch
};

}  // namespace carrack::data
