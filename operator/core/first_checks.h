// Checks the pods of a job before its first start. Only the cluster knows all fields of a pod, so the operator asks it
// whether what the manifest says about pods is valid. Pure.
#pragma once

#include <optional>
#include <vector>

#include "operator/core/reconcile.h"
#include "operator/core/restart.h"

namespace carrack::control {

// Returns a CheckProcess for one member of each role in `to_create`, but only for roles whose PodOptions are not empty.
// Empty once the job has run or the cluster shows a process of it. The members must have an entry in status.members.
std::vector<Action> first_checks(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                 const std::vector<train::Member>& to_create);

// Returns the outcome InvalidSpec if the cluster has found a process invalid in such a check; else nullopt.
std::optional<JobOutcome> refused_pod(const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
