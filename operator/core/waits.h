// What keeps a job from running: the wait of each member, in one reason and one message.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/restart.h"

namespace carrack::control {

struct WaitOfJob {
  const char* reason;  // of reasons.h
  std::string message;
};

// How many members of a role, of those that `replicas` counts, must run so that the job does.
int needed(const JobSpec& spec, train::Role role, const ReplicaStatus& replicas);

// The member has failed since the last commit, and its next start has not begun; or its end has failed the job.
bool has_failed(const JobStatus& status, const train::Member& member);

// How many of the members run in their current start, are done, have failed, or wait for something else.
std::map<train::Role, ReplicaStatus> count_replicas(const JobStatus& status, const Observed& observed,
                                                    const std::vector<train::Member>& members);
// The job trains with all parameter servers and at least `workers.min` workers.
bool enough_members_run(const JobSpec& spec, const std::map<train::Role, ReplicaStatus>& replicas);

// What the job waits for, of which fewer of `members` run than it needs. The reason is that of the member it needs
// last, if those come first whose wait passes most easily: a worker that it can do without gives no reason. The message
// is about all that do not run. `notes` are those of EndedStarts.
WaitOfJob wait_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                  const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

// What those of `members` wait for that do not run and do not just start; empty if there are none. For the message of a
// job that trains without them.
std::string lasting_waits(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                          const std::vector<EndNote>& notes, const std::vector<train::Member>& members);

}  // namespace carrack::control
