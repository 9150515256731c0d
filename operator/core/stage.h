// Decides which members are wanted. A job that is suspended or is_overdue() (deadlines.h) drains first, for at most
// spec.run.drainSeconds; JobProtocol::drain_stage() says how. In a job of the trainer the workers leave first. Then the
// coordinator commits what they have done, and ends. The parameter servers go last. With strategy Single or Own all
// processes stop at the same time.
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

// Returns the stage of the job: `stopped` if it has finished, or is to stop and the starts of all members have ended or
// drain_deadline has passed. Sets status.drain_deadline when draining begins, and clears it if the job is to train.
Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// Returns true if the process has not ended as far as the cluster knows. False for a process that is being deleted on a
// lost node or after an eviction, although it may still run.
bool is_alive(const ObservedProcess& process);

// The members that are wanted in this stage, in the order of starting.
std::vector<train::Member> wanted(const JobSpec& spec, Stage stage);

// Returns the members of `wanted` that may run now; the starts of all others end. This is all of `wanted`, unless the
// coordinator or a parameter server finds no node: the job cannot train then. In that case workers beyond workers.min
// are left out, whether they run or have not started, so that they free their nodes and take no others. A worker that
// finds no node itself stays: it takes no room, and its pod shows an autoscaler that nodes are missing.
std::vector<train::Member> startable(const std::vector<train::Member>& wanted, const JobStatus& status,
                                     const JobSpec& spec, const Observed& observed);

}  // namespace carrack::control
