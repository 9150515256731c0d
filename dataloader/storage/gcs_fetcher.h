// The threads that read from Cloud Storage, for everybody in the process: so many requests are out at most, in the
// order they were asked for. A thread that looks on has a second request sent where one is silent.
//
// Threads start as they are needed and end with it; then all that is still wanted is over.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "dataloader/storage/allowance.h"
#include "dataloader/storage/gcs_client.h"
#include "dataloader/storage/gcs_fetch.h"
#include "dataloader/storage/silences.h"

namespace carrack::data {

class GcsFetcher {
 public:
  explicit GcsFetcher(GcsClient& client) : client_(client) {}
  ~GcsFetcher();
  GcsFetcher(const GcsFetcher&) = delete;
  GcsFetcher& operator=(const GcsFetcher&) = delete;

  void start(std::shared_ptr<GcsFetch> fetch);

 private:
  // At 100 MB/s a stream they bring 6.4 GB/s.
  static constexpr std::size_t most_requests = 64;

  struct Job {
    std::shared_ptr<GcsFetch> fetch;
    bool second = false;
  };
  void add_worker_if_needed();
  void work(const std::stop_token& ending);
  void carry_out(const Job& job);
  void look_on(const std::stop_token& ending);
  // Calls for second requests where it is time to; how long until the next look.
  std::chrono::microseconds look();

  GcsClient& client_;
  Silences silences_;
  Allowance seconds_{0.05, 5};

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable_any more_jobs_;
  std::condition_variable_any more_running_;
  std::deque<Job> jobs_;
  std::vector<std::shared_ptr<GcsFetch>> running_;
  std::size_t busy_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace carrack::data
