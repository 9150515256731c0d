// Asks the coordinators of all jobs how they go, about once a second each, apart from whatever decides: one that does
// not answer holds up no one but, for two seconds, one of a few threads, and is then left in peace for a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "operator/runtime/progress_reader.h"

namespace carrack::control {

class ProgressPoller {
 public:
  // `told` is called, from any thread, with a job of which something new is known: at once where it is a checkpoint or
  // that it has drained, else every few seconds, as each look at a job is a write.
  explicit ProgressPoller(std::function<void(const std::string& job)> told);
  ~ProgressPoller();

  // Another UID is another job of the same name, of which nothing was told yet.
  void follow(const std::string& job, const Teller& teller);
  void leave(const std::string& job);  // what it told stays known
  void forget(const std::string& job);

  std::optional<CoordinatorReport> of(const std::string& job, const std::string& uid) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Followed {
    Teller teller;       // without an address: nobody to ask
    bool asked = false;  // by one of the threads, now
    int silent = 0;      // times in a row that nobody answered, for long
    Clock::time_point due;
    Clock::time_point tell_from;
    std::optional<CoordinatorReport> report;
    std::optional<CoordinatorReport> told;
  };

  void run(const std::stop_token& stop);
  struct Question {
    std::string job;
    Teller teller;
    Clock::time_point begun;
  };
  std::optional<Question> next();
  // Whether it is to be told.
  bool take(const Question& question, std::optional<CoordinatorReport> report);

  const std::function<void(const std::string& job)> told_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable_any woken_;
  std::map<std::string, Followed> jobs_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace carrack::control
