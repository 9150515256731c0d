// Threads that run tasks. As many run at once as keep the CPUs busy: where tasks wait for storage, more of them do.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace carrack::data {

// How many tasks at once keep the CPUs busy, by what the last ones took; at most twice as many as before, as what is
// waited for may have its own limits, and at most `most`.
unsigned threads_wanted(unsigned cpus, unsigned before, unsigned most, std::uint64_t busy_ns, std::uint64_t waited_ns);

class Workers {
 public:
  // What the tuning has found, for reports.
  struct Report {
    unsigned threads = 0;      // that run at once
    double waiting_share = 0;  // of the time of tasks, not for a CPU but for storage
    std::uint64_t tasks = 0;
  };

  // Begins with a thread for each CPU, and never has more than `most`.
  Workers(unsigned cpus, unsigned most);
  // Tasks that have not begun are forgotten.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Tasks are begun in the order in which they come, and throw nothing.
  void run(std::function<void()> task);
  unsigned threads() const;
  Report report() const;

 private:
  void work();
  void tune();

  const unsigned cpus_;
  const unsigned most_;
  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  unsigned limit_;
  unsigned running_ = 0;
  bool ending_ = false;
  std::uint64_t done_ = 0;
  std::uint64_t busy_ns_ = 0, waited_ns_ = 0;                // of all tasks
  std::uint64_t recent_busy_ns_ = 0, recent_waited_ns_ = 0;  // since the limit was last set
  std::vector<std::thread> threads_;
};

}  // namespace carrack::data
