// Says what keeps a job from running: the waits of its members, as one reason and one message. Pure.
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

// The number of members of a role that must run for the job to run: the role's minimum or, if fewer members are wanted,
// their number; minus the members that are done. May be negative. `replicas` has the counts of the role.
int needed(const JobSpec& spec, train::Role role, const ReplicaStatus& replicas);

// Returns true if the member has failed since the last commit and its next start has not begun, or if its end has
// failed the job.
bool has_failed(const JobStatus& status, const train::Member& member);

// Counts `members` by role and state. A member that runs counts as running even if it failed before.
std::map<train::Role, ReplicaStatus> count_replicas(const JobStatus& status, const Observed& observed,
                                                    const std::vector<train::Member>& members);
// Returns true if in each role at least needed() members run: all parameter servers and at least workers.min workers.
bool enough_members_run(const JobSpec& spec, const std::map<train::Role, ReplicaStatus>& replicas);

// Returns why the job does not run. Call it if fewer of `members` run than the job needs. If n more members of a role
// must run, the n of them with the easiest waits (Wait) are considered; the reason is the worst wait of all that are
// considered, or of the Service, configuration and key. The message is about all members that do not run. `notes` are
// EndedStarts::notes. status.replicas must be up to date.
WaitOfJob wait_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                  const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

// Returns a message about the members that do not run, except those that wait only for their start; empty if there are
// none. It is for a job that runs without them.
std::string lasting_waits(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                          const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

}  // namespace carrack::control
