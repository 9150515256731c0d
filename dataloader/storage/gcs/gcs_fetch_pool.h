// The threads that read from Cloud Storage, for everybody in the process: so many requests are out at most, in the
// order they were asked for. A thread that looks on has a second request sent where one is silent, for which there is
// always room, and has asked again what failed; what waits for that holds up nobody.
//
// Threads start as they are needed and end with it; then all that is still wanted is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_range_fetch.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/stall_threshold.h"

namespace carrack::data {

class GcsFetcher {
 public:
  explicit GcsFetcher(GcsClient& client) : client_(client) {}
  ~GcsFetcher();
  GcsFetcher(const GcsFetcher&) = delete;
  GcsFetcher& operator=(const GcsFetcher&) = delete;

  void start(std::shared_ptr<GcsFetch> fetch);

 private:
  using Clock = GcsFetch::Clock;

  // At 100 MB/s a stream they bring 6.4 GB/s.
  static constexpr std::size_t most_requests = 64;
  static constexpr std::size_t most_seconds = 8;  // Beside those.

  struct Job {
    std::shared_ptr<GcsFetch> fetch;
    bool second = false;
  };
  // How many may begin now.
  std::size_t ready() const;
  Job take();
  void add_worker_if_needed();
  void work(const std::stop_token& ending);
  // How long to wait before it is tried again; nothing where it is not.
  std::optional<std::chrono::milliseconds> carry_out(const Job& job);
  void leave(const Job& job, std::optional<std::chrono::milliseconds> again);
  void look_on(const std::stop_token& ending);
  // Calls for second requests where it is time to, and has asked again what is due; when to look again.
  Clock::time_point look();

  GcsClient& client_;
  StallThreshold stall_threshold_;
  RetryBudget seconds_{0.05, 5};

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable_any more_jobs_;
  std::condition_variable_any more_to_see_;
  std::deque<std::shared_ptr<GcsFetch>> firsts_;                       // To be asked for.
  std::deque<std::shared_ptr<GcsFetch>> seconds_of_;                   // To be asked for by a second request.
  std::multimap<Clock::time_point, std::shared_ptr<GcsFetch>> later_;  // To be asked for again, and when.
  std::vector<std::shared_ptr<GcsFetch>> running_;
  std::size_t seconds_running_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace carrack::data
