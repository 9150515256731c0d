// Checks the pods of a job before its first start: what a manifest says of them may be invalid to the cluster, which
// alone knows all fields of a pod. Pure.
#pragma once

#include <optional>
#include <vector>

#include "operator/core/reconcile.h"
#include "operator/core/restart.h"

namespace carrack::control {

// A check of one process of each role whose pods the manifest says something about, of those that are about to be
// created; none once the cluster shows a process, or the job has run.
std::vector<Action> first_checks(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                 const std::vector<train::Member>& to_create);

// The job fails if the cluster has found a process invalid in such a check.
std::optional<JobOutcome> refused_pod(const JobSpec& spec, const JobStatus& status, const Observed& observed);

}  // namespace carrack::control
