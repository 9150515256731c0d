// Decides what to do when starts end: start the member again, restart the whole job, or end the job. A restart of the
// whole job counts against spec.run.backoffLimit, unless an uncharged end caused it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/member_words.h"
#include "operator/core/observed.h"
#include "trainer/launch/member.h"

namespace carrack::control {

// A member with this many charged failures since the last commit restarts the whole job, unless it is a worker and
// enough other workers run. Charged ends are those with Ending::failed (protocol.h).
constexpr int member_failures_max = 3;
// Uncharged ends (Ending::left) are disruptions. Disruptions in a row are followed by growing pauses, except the first.
// A start that ran for at least this long begins a new row.
constexpr auto steady_after = std::chrono::minutes(10);
// From this many disruptions in a row on, the message of the waiting job says how often they happened.
constexpr int disruptions_noted = 10;
// Members other than the leader end with success once it has made its last commit. The leader has this long to end too,
// before such a member is started again.
constexpr seconds leader_exit_timeout{30};

// How a job ends.
struct JobOutcome {
  bool succeeded = false;
  std::string reason;  // one of reasons.h
  std::string message;
  bool operator==(const JobOutcome&) const = default;
};

// Why the start of a member that did not succeed has ended.
struct EndNote {
  train::Member member;
  std::string words;           // such as "PlatformError: cannot write"
  bool had_run = false;        // its process ran; if not, `wait` says why
  Wait wait = Wait::starting;  // what kept it from running
  std::string node = {};       // where its process was; empty if unknown
  bool reported_hung = false;  // ended because the coordinator reported that it hangs
};

// The result of record_ended_starts().
struct EndedStarts {
  std::optional<JobOutcome> outcome;  // set if the job ends
  bool job_stalled = false;           // is_stalled() (deadlines.h)
  std::vector<EndNote> notes = {};    // of ends without success that are worth a message
};

// The process of a member's current start; nullptr if the start has ended or the cluster shows no process. Points into
// `observed`.
const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member);
// True if the process belongs to the current start of its member, and that start has not ended.
bool is_current(const JobStatus& status, const ObservedProcess& process);
// The report of the leader's last start: the one that it left at its end, or else the last one that was read; nullptr
// if there is none. Valid also after that start has ended, since it may contain the newest commit. Points into
// `observed`.
const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed);

// True from when the commit of the last step is reported until the leader's start ends. The leader still evaluates that
// commit, and needs no other member for it.
bool awaits_end_of_leader(const JobStatus& status, const JobSpec& spec);

// A process that is silent for this long counts as hung, and its start ends. A node that has been restarted shows all
// its processes as silent for a moment.
constexpr seconds silence_max{5};
bool is_hung(const ObservedProcess& process, Time now);
// True if the process has not exited and its start ends because it hung, and not for another cause.
bool is_hung_at_end(const ObservedProcess& process, Time now);

// Marks in `status` the current starts that have ended, counts them, and begins the next attempt if one is due.
EndedStarts record_ended_starts(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The number of restarts of the whole job that count against spec.run.backoffLimit.
int charged_restarts(const JobStatus& status);

// Returns the status with which a failed job is retried: the next attempt, from the last commit, with as many restarts
// left as a new job has.
JobStatus retry_failed_job(JobStatus status);

// The pauses before the next start: of a member after charged failures or after disruptions in a row, and of the whole
// job after charged restarts. Each count includes the last one.
seconds member_backoff(int failures);
seconds disruption_backoff(int disruptions);
seconds job_backoff(int restarts);

// The longest pause that may be before the next start of this member. A status with a later time was written before the
// clock was set back.
seconds longest_rest(const JobStatus& status, const MemberStatus& member);

std::string describe(const EndNote& note);  // "worker 1: PlatformError: cannot write"

}  // namespace carrack::control
