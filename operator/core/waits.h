// What keeps a job from running: the waits of its members, in one reason and one message. Pure.
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

// How many members of a role must run for the job to run: the role's minimum, or all wanted members if they are fewer,
// without those that are done. `replicas` has the counts of the role.
int needed(const JobSpec& spec, train::Role role, const ReplicaStatus& replicas);

// True if the member has failed since the last commit and its next start has not begun, or if its end has failed the
// job.
bool has_failed(const JobStatus& status, const train::Member& member);

// Counts `members` by role and state. A member that runs counts as running even if it failed before.
std::map<train::Role, ReplicaStatus> count_replicas(const JobStatus& status, const Observed& observed,
                                                    const std::vector<train::Member>& members);
// True if in each role as many members run as needed() says: all parameter servers and at least workers.min workers.
bool enough_members_run(const JobSpec& spec, const std::map<train::Role, ReplicaStatus>& replicas);

// Why the job does not run. Call it if fewer of `members` run than the job needs. The reason is the worst wait of a
// needed member, if in each role the easiest waits pass first; a worker that the job can do without gives no reason.
// The message is about all members that do not run. `notes` are those of EndedStarts.
WaitOfJob wait_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                  const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

// The waits of `members` that do not run, except those that are just starting; empty if there are none. For the message
// of a job that runs without them.
std::string lasting_waits(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                          const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

}  // namespace carrack::control
