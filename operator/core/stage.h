// Decides which members of a job should have a process at present. These are the wanted members; the operator ends the
// processes of all others. reconcile() calls it.
//
// A job that is suspended, or is_overdue() (deadlines.h), drains before it stops, for at most spec.run.drainSeconds. A
// job of the trainer drains in the order of Stage: the workers leave, then the coordinator commits what they have done
// and ends, then the parameter servers end. With strategy Single or Own all processes stop at the same time.
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

// Returns the stage of the job: `training` if it is to train; `stopped` if it has finished; else that of
// JobProtocol::drain_stage(), until all starts have ended or the drain deadline has passed, and then `stopped`. Sets
// status.drain_deadline when draining begins, and clears it if the job is to train.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// Returns true if the process has not exited as far as the cluster knows. Returns false for a process that is being
// deleted because its node is lost or because it was evicted or preempted, although it may still run.
bool is_alive(const ObservedProcess& process);

// The members that are wanted in this stage, in the order of starting.
std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

// Returns the members of `wanted` that may run now; the caller ends the processes of all others. This is all of
// `wanted`, unless no node has room for the coordinator or for a parameter server, without which the job cannot train.
// Workers beyond the minimum (spec.replicas.worker.min) are then left out, whether they run or not, so that they free
// nodes. A worker whose own pod waits for a node stays: it occupies no room, and its pod makes an autoscaler add nodes.
std::vector<train::Member> members_that_may_run(const std::vector<train::Member>& wanted, const JobStatus& status,
                                                const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
