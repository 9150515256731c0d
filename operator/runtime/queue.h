// Decides which job is reconciled next, and when. A job has at most one entry, for the earliest time for which it was
// added. Jobs that fail are delayed by a growing pause. Time is an argument. Not thread-safe.
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
  // Adds the job for the time `due`, or for the end of its pause after a failure if that is later.
  void add(const std::string& job, Instant due);

  // Adds the job for the time `now` plus retry_delay() of its failures in a row, in place of an earlier entry. A later
  // add() does not shorten this pause, because most events come from the job's own writes.
  void add_failed(const std::string& job, Instant now);
  // Forgets the failures of the job.
  void succeeded(const std::string& job) { failures_.erase(job); }

  // Removes and returns the job that has been due longest; of jobs due at the same time the first by name. nullopt if
  // none is due.
  std::optional<std::string> take(Instant now);
  // The earliest time for which a job was added; nullopt if the queue is empty.
  std::optional<Instant> next_due() const;
  // The number of jobs that are due. Its cost grows with that number.
  std::size_t due(Instant now) const;

 private:
  std::set<std::pair<Instant, std::string>> order_;  // the same entries as due_
  std::map<std::string, Instant> due_;
  struct Failures {
    int in_a_row = 0;
    Instant pause_ends{};
  };
  std::map<std::string, Failures> failures_;
};

// The pause after `failures` in a row: 100 ms, doubled with every failure, at most one minute.
std::chrono::milliseconds retry_delay(int failures);

}  // namespace carrack::control
