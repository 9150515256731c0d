// Which members a job wants now. A job that is suspended, or has been active for too long, drains first, as its
// JobProtocol says: workers of the trainer leave; then its coordinator is asked to leave, which commits what they have
// done and ends; and only then its parameter servers go. All of this takes at most spec.run.drainSeconds. It follows
// from which processes the cluster shows alone.
#pragma once

#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Stage {
  training,    // All members are wanted.
  draining,    // All but the workers.
  committing,  // The parameter servers alone.
  stopped,     // None.
};

// The stage of the job from now on. Sets status.drain_deadline when draining begins, and clears it once the job is not
// suspended any more.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// True if the process has not ended as far as the cluster knows. One on a lost node may run on.
bool is_alive(const ObservedProcess& process);

// The members that are wanted in this stage, in the order of starting.
std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

// Those of the wanted members that are started now. While the coordinator or a parameter server finds no node, the job
// does not train; so workers above `min` then leave their nodes to it, and are started again later.
std::vector<train::Member> startable(const std::vector<train::Member>& wanted, const JobStatus& status,
                                     const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
