// Says in sentences how a job is doing: why it waits or has failed, and what to do about it. Pure.
#pragma once

#include <string>

#include "operator/explain/job_view.h"

namespace carrack::control {

// The first line: "digits waits: no node can take 2 of 4 workers".
std::string verdict(const JobView& view);

// The verdict, and below it the cause in the words of the cluster, what to do, and what else is known, each with a
// label. Ends with a line break. Lines are at most `width` bytes long unless a single word is longer; 0: no limit.
std::string explain(const JobView& view, std::size_t width);

}  // namespace carrack::control
