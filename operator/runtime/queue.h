// Which job is to be looked at, and when: one entry a job, the sooner time wins, failures wait ever longer.
// Pure: time is an argument. Jobs that are due together come in the order of their times, then names.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "operator/runtime/clock.h"

namespace carrack::control {

class Queue {
 public:
  // Not before the pause after a failure is over.
  void add(const std::string& job, Moment due);

  // Adds it after a pause that doubles with every failure since it last succeeded. What happens to it meanwhile does
  // not shorten the pause: most of that it has done itself.
  void add_failed(const std::string& job, Moment now);
  void succeeded(const std::string& job) { failures_.erase(job); }

  // The job that has been due longest; it is in the queue no more.
  std::optional<std::string> take(Moment now);
  std::optional<Moment> next_due() const;
  std::size_t size() const { return due_.size(); }

 private:
  std::set<std::pair<Moment, std::string>> order_;
  std::map<std::string, Moment> due_;
  struct Failures {
    int in_a_row = 0;
    Moment pause_ends{};
  };
  std::map<std::string, Failures> failures_;
};

// 100 ms, doubled up to a minute.
std::chrono::milliseconds pause_after(int failures);

}  // namespace carrack::control
