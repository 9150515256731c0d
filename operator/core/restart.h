// Which starts are over, who is to blame, and what follows: another start, a restart of the whole job, or its end.
// Charged are only failures of current starts; what the cluster itself ended is replaced without a charge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/observed.h"
#include "trainer/launch/member.h"

namespace carrack::control {

// A member that fails so often without a commit in between takes the whole job into its next attempt.
constexpr int failures_of_an_attempt = 3;
// Members end with success once the leader has made its last commit; the leader is given this long to end too.
constexpr seconds patience_with_leader{30};

// How a job ends.
struct Verdict {
  bool succeeded = false;
  std::string reason;
  std::string message;
  bool operator==(const Verdict&) const = default;
};

struct Accounting {
  std::optional<Verdict> verdict;
  std::vector<std::string> notes;  // one for each start that is over
};

// The process of a member's current start; nullptr where none shows.
const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member);
bool is_current(const JobStatus& status, const ObservedProcess& process);
// What the last start of the leader tells, if it tells anything; as it ends, too: that may be its best commit.
const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed);

// Marks in `status` the current starts that are over.
Accounting account(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// A job that has failed, as it is when its user has it tried again: in its next attempt, from the last commit.
JobStatus tried_again(JobStatus status);

// How long a member rests after its n-th charged failure in a row, and a job before its n-th restart.
seconds member_rest(int failures);
seconds job_rest(int attempt);

std::string text_of(const train::Member& member);  // worker 1

}  // namespace carrack::control
