// Decides what to do when processes end: start the member again, restart the whole job, or end the job. Only failures
// of current starts count towards the limit of restarts. A process that the cluster ended is replaced and does not
// count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/member_words.h"
#include "operator/core/observed.h"
#include "trainer/launch/member.h"

namespace carrack::control {

// After so many charged failures of one member without a commit in between, the whole job starts its next attempt.
constexpr int member_failures_max = 3;
// Ends without a charge are disruptions. The first in a row is followed by no pause, the next ones by growing pauses. A
// start that ran for so long begins a new row.
constexpr auto steady_after = std::chrono::minutes(10);
// After so many in a row, the condition says so.
constexpr int disruptions_noted = 10;
// Members end with success once the leader has made its last commit. The leader has this long to end too, before such a
// member is started again.
constexpr seconds leader_exit_timeout{30};

// How a job ends.
struct JobOutcome {
  bool succeeded = false;
  std::string reason;  // of reasons.h
  std::string message;
  bool operator==(const JobOutcome&) const = default;
};

// Why the start of a member that did not succeed has ended.
struct EndNote {
  train::Member member;
  std::string words;           // PlatformError: cannot write
  bool had_run = false;        // its process ran before
  Wait wait = Wait::starting;  // else why it did not
  std::string node = {};       // where its process was
  bool reported_hung = false;  // its process runs, and the coordinator said that it hangs
};

struct EndedStarts {
  std::optional<JobOutcome> outcome;  // set if the job ends
  bool job_stalled = false;           // it made no new step for too long
  std::vector<EndNote> notes = {};
};

// The process of a member's current start; nullptr if the cluster shows none.
const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member);
bool is_current(const JobStatus& status, const ObservedProcess& process);
// The report of the leader's last start, nullptr if there is none: that of its end, or else the last one that was read.
// Valid after that start has ended, too: it may hold the newest commit.
const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed);

// True once the commit of the last step is reported and as long as the leader's start goes on: it evaluates that
// commit, for which it needs no other member.
bool awaits_end_of_leader(const JobStatus& status, const JobSpec& spec);

// How long a process may be silent until it counts as hung, and its start as over. A node that has been restarted shows
// all its processes as silent for a moment.
constexpr seconds silence_max{5};
bool is_hung(const ObservedProcess& process, Time now);
// The process has not exited, and its start is over because it hung, not because the cluster ends it for another cause.
bool is_hung_at_end(const ObservedProcess& process, Time now);

// Marks in `status` the current starts that are over, and begins the next attempt if one is due.
EndedStarts record_ended_starts(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The restarts of the whole job that count against spec.run.backoffLimit.
int charged_restarts(const JobStatus& status);

// The status of a failed job as it is when its user retries it: the next attempt, from the last commit,
// with as many restarts as a new job has.
JobStatus retry_failed_job(JobStatus status);

// The pause before the next start of a member after `failures` charged failures in a row, after `disruptions` in a row,
// and before the next attempt of a job after `restarts` charged ones.
seconds member_backoff(int failures);
seconds disruption_backoff(int disruptions);
seconds job_backoff(int restarts);

// The longest pause before the next start of this member, after its failures or of the attempt. A status that says more
// was written before the clock was set back.
seconds longest_rest(const JobStatus& status, const MemberStatus& member);

std::string describe(const EndNote& note);  // "worker 1: PlatformError: cannot write"

}  // namespace carrack::control
