// Queue is the work queue of a Loop, like the rate-limiting queue of client-go: it decides which job is reconciled
// next, and when. A job has at most one entry, for the earliest time for which it was added. A job whose passes fail is
// delayed by a growing pause. The current time is an argument. Not thread-safe.
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
  // Adds the job for the time `due`, or for the end of its pause after a failure if that is later. If the job has an
  // entry already, the earlier time counts.
  void add(const std::string& job, Instant due);

  // Call it after a failed pass. Counts the failure, and adds the job for the time `now` plus retry_delay() of its
  // failures in a row, in place of an earlier entry. A later add() does not shorten this pause, because most events
  // come from the job's own writes.
  void add_failed(const std::string& job, Instant now);
  // Call it after a pass that did not fail: forgets the failures of the job. Its entry, if it has one, stays.
  void succeeded(const std::string& job) { failures_.erase(job); }

  // Removes and returns the job that has been due longest; of jobs due at the same time the first by name. nullopt if
  // none is due.
  std::optional<std::string> take(Instant now);
  // The time of the earliest entry, perhaps in the past; nullopt if the queue is empty.
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

// The pause after `failures` in a row: 100 ms after 1, 200 ms after 2, 400 ms after 3, ..., at most one minute.
std::chrono::milliseconds retry_delay(int failures);

}  // namespace carrack::control
