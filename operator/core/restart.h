// Decides what follows when processes of a job end: the member starts again, the whole job restarts, or the job ends.
// reconcile() calls it; others, such as Loop and `carrack explain`, use parts of it. Pure.
//
// A start is one process of a member, identified by attempt (number of restarts of the whole job) and incarnation
// (number of starts of the member within the attempt). A start is current if it is the newest of its member and
// MemberStatus::ended is false. Its end is charged if it counts as a failure. Ends that the cluster caused, such as an
// eviction, are not charged. A restart of the whole job counts against spec.run.backoffLimit, unless an uncharged end
// caused it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/member_words.h"
#include "operator/core/observed.h"
#include "trainer/launch/member.h"

namespace carrack::control {

// A member with this many charged failures (MemberStatus::failures) restarts the whole job, unless it is a worker and
// enough other workers run.
constexpr int member_failures_max = 3;
// A start that ran for this long shows that the member works. Its uncharged end (a disruption) counts as the first of a
// row again, so the next start has no pause: see disruption_backoff(). With strategy Own the member's charged failures
// are cleared, too.
constexpr auto steady_after = std::chrono::minutes(10);
// From this many disruptions in a row on, the message of the waiting job says how often they happened.
constexpr int disruptions_noted = 10;
// Members other than the leader end with success once the leader has made the last commit. If this long afterwards the
// leader has neither ended nor reported that commit (awaits_end_of_leader()), they are started again.
constexpr seconds leader_exit_timeout{30};

// How a job ends.
struct JobOutcome {
  bool succeeded = false;
  std::string reason;  // one of reasons.h
  std::string message;
  bool operator==(const JobOutcome&) const = default;
};

// Says in words why the start of a member has ended without success, for the messages of conditions.
struct EndNote {
  train::Member member;
  std::string words;           // such as "PlatformError: cannot write"
  bool had_run = false;        // its process ran; if not, `wait` says why
  Wait wait = Wait::starting;  // what prevented the process from running; no meaning if it had run
  std::string node = {};       // where its process was; empty if unknown
  bool reported_hung = false;  // ended because the coordinator reported that it hangs
};

// The result of record_ended_starts().
struct EndedStarts {
  std::optional<JobOutcome> outcome;  // set if the job ends
  bool job_stalled = false;           // the result of is_stalled() (deadlines.h)
  std::vector<EndNote> notes = {};    // ends without success that are worth a message
};

// Returns the process of the member's current start; nullptr if the start has ended or the cluster does not show its
// process. Points into `observed`.
const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member);
// True if the process belongs to the current start of its member, and that start has not ended.
bool is_current(const JobStatus& status, const ObservedProcess& process);
// Returns the report of the leader's last start: the one that it left at its exit, or else the last one that was read;
// nullptr if there is none. Returns it even after that start has ended, since it may contain the newest commit. Points
// into `observed`.
const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed);

// True from the report of the last step's commit until the leader's start ends. Meanwhile the leader evaluates that
// commit. It needs no other member for this, so the operator starts none.
bool awaits_end_of_leader(const JobStatus& status, const JobSpec& spec);

// A process that has not answered its health probe for this long (ObservedProcess::silent_since) is hung, and its start
// ends. Shorter silences are ignored, because a node that has been restarted shows all its processes as silent for a
// moment.
constexpr seconds silence_max{5};
bool is_hung(const ObservedProcess& process, Time now);
// True if the process has not exited and its start ends because it hung, and not for another cause. Unlike is_hung(),
// this includes a process that `carrack run` found stopped (SIGSTOP) and counts as lost.
bool is_hung_at_end(const ObservedProcess& process, Time now);

// Marks in `status` the current starts that have ended, counts them, and begins the next attempt if one is due. Does
// not end the job: the caller passes the outcome to finish() (conditions.h).
EndedStarts record_ended_starts(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The number of restarts of the whole job that count against spec.run.backoffLimit.
int charged_restarts(const JobStatus& status);

// Returns the status with which `carrack run` retries a failed job: the next attempt, from the last commit. The job may
// then restart spec.run.backoffLimit times again.
JobStatus retry_failed_job(JobStatus status);

// The pauses before the next start: of a member after charged failures or after disruptions in a row, and of the whole
// job after charged restarts. The argument counts the failure, disruption or restart that has just happened, too. From
// the first pause on, each is twice the one before, up to the maximum.
seconds member_backoff(int failures);         // none after 1, 10 seconds after 2, at most 6 minutes
seconds disruption_backoff(int disruptions);  // none after 1, 1 second after 2, at most 1 minute
seconds job_backoff(int restarts);            // 10 seconds after 0 and 1, 20 seconds after 2, at most 10 minutes

// Returns the maximum pause that can be before the next start of this member. If MemberStatus::not_before is later than
// now plus this, the wall clock was set back after it was written, and reconcile() shortens the wait.
seconds longest_pause(const JobStatus& status, const MemberStatus& member);

// Returns a text such as "worker 1: PlatformError: cannot write".
std::string describe(const EndNote& note);

}  // namespace carrack::control
