// Before a job's first start the operator sends one pod of each role to the API server as a dry run (CheckProcess), so
// that a mistake in a pod template or in resources fails the job with a clear message. Only the API server knows all
// fields of a pod. These functions decide what to check and what follows; they send nothing. Pure.
#pragma once

#include <optional>
#include <vector>

#include "operator/core/reconcile.h"
#include "operator/core/restart.h"

namespace carrack::control {

// Returns a CheckProcess for one member of each role in `to_create`, the members whose processes are about to be
// created. Roles for which the manifest says nothing about pods (PodOptions) need none. Empty once the job has run or
// the cluster shows a process of it. The members must have an entry in status.members.
std::vector<Action> first_checks(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                 const std::vector<train::Member>& to_create);

// Returns the failure of the job, with reason InvalidSpec and the API server's message, if the last check has found a
// process invalid; else nullopt.
std::optional<JobOutcome> refused_pod(const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
