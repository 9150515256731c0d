// Decides which members are wanted. A job that is suspended, or has been active for too long, drains first, as its
// JobProtocol says. In a job of the trainer the workers leave first. Then the coordinator commits what they have done,
// and ends. The parameter servers go last. All of this takes at most spec.run.drainSeconds. How far draining has come
// is decided only by which processes the cluster shows.
#pragma once

#include <vector>

#include "operator/core/observed.h"

namespace carrack::control {

enum class Stage {
  training,    // All members are wanted.
  draining,    // All members but the workers are wanted.
  committing,  // Only the parameter servers are wanted.
  stopped,     // No member is wanted.
};

// Returns the stage of the job. Sets status.drain_deadline when draining begins, and clears it when the job is to train
// again.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// True if the process has not ended as far as the cluster knows. False for a process on a lost node, although it may
// run on.
bool is_alive(const ObservedProcess& process);

// The members that are wanted in this stage, in the order of starting.
std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

// Returns the members of `wanted` that may be started now. While the coordinator or a parameter server finds no node,
// the job cannot train. Workers beyond workers.min that have a node are then left out, so that they leave their nodes
// to it.
std::vector<train::Member> startable(const std::vector<train::Member>& wanted, const JobStatus& status,
                                     const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
