// Checks the pods of a job before its first start. Only the cluster knows all fields of a pod, so it is asked whether
// what the manifest says of them is valid. Pure.
#pragma once

#include <optional>
#include <vector>

#include "operator/core/reconcile.h"
#include "operator/core/restart.h"

namespace carrack::control {

// Returns a CheckProcess for one member of each role in `to_create` whose pods the manifest says something about
// (PodOptions). Empty once the job has run or the cluster shows a process of it. The members must have an entry in
// `status`.
std::vector<Action> first_checks(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                 const std::vector<train::Member>& to_create);

// The outcome of a job whose process the cluster has found invalid in such a check; nullopt if it has found none.
std::optional<JobOutcome> refused_pod(const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
