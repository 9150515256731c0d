// Says why a job does not run, for the condition Running of its status: combines what each member waits for (Wait) into
// one reason and one message. Also counts the members by state. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/restart.h"

namespace carrack::control {

struct WaitOfJob {
  const char* reason;  // one of reasons.h
  std::string message;
};

// Returns how many members of the role must run for the job to run: the role's minimum or, if fewer members are wanted,
// their number; minus the members that are done. May be negative. `replicas` has the counts of this role.
int needed(const JobSpec& spec, train::Role role, const ReplicaStatus& replicas);

// Returns true if the member has failed since the last commit and its next start has not begun, or if its end has
// failed the job.
bool has_failed(const JobStatus& status, const train::Member& member);

// Counts `members`, which are the wanted members, by role and state. A member that runs counts as running even if it
// failed before. The result has no entry for a role without wanted members.
std::map<train::Role, ReplicaStatus> count_replicas(const JobStatus& status, const Observed& observed,
                                                    const std::vector<train::Member>& members);
// Returns true if in each role at least needed() members run. `replicas` is the result of count_replicas().
bool enough_members_run(const JobSpec& spec, const std::map<train::Role, ReplicaStatus>& replicas);

// Returns why the job does not run. Call it if fewer of `members` run than the job needs. `notes` are
// EndedStarts::notes. status.replicas must be up to date.
// The reason is the worst of the waits that must end before the job can run: if it needs 1 of 3 pending workers, only
// the easiest of their waits counts. Refused creates of the Service, configuration and key count, too. The message is
// about all members that do not run.
WaitOfJob wait_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                  const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

// For a job of which enough members run: returns a message about refused creates of the Service and the configuration,
// without which members that start do not find each other, and about members that do not run, except those that are
// starting (Wait::starting). Empty if there are none.
std::string lasting_waits(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                          const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

}  // namespace carrack::control
