// The text that `carrack plan` prints for a plan; docs/reference/plan.md explains each line. Pure.
#pragma once

#include <string>

#include "trainer/planning/job_plan.h"

namespace carrack::train {

// `config` must be the configuration from which the plan was made.
std::string text(const JobPlan& plan, const Config& config);

}  // namespace carrack::train
