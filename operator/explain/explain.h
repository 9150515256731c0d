// The output of `carrack explain`: says in sentences how a job is doing, why it waits or has failed, and what to do
// about it. Pure.
#pragma once

#include <string>

#include "operator/explain/job_view.h"

namespace carrack::control {

// Returns one line without a line break: "digits waits: no node can take 2 of 4 workers".
std::string verdict(const JobView& view);

// Returns the verdict and, in the lines after it, what the cluster says about the cause, what to do, and what else is
// known:
//   digits waits: no node can take 2 of 4 workers
//   cause         Unschedulable, for 3 min: ...
//   what to do    Ask for less in spec.replicas.worker.resources, or add nodes. ...
// Ends with a line break, and is printable. Lines after the first have at most `width` bytes, unless a single word is
// longer; 0: no limit.
std::string explain(const JobView& view, std::size_t width);

}  // namespace carrack::control
