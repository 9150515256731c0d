// A plan as `carrack plan` prints it; docs/reference/plan.md explains each line. Pure.
#pragma once

#include <string>

#include "trainer/planning/job_plan.h"

namespace carrack::train {

// `config` must be the one that the plan was made from.
std::string text(const JobPlan& plan, const Config& config);

}  // namespace carrack::train
