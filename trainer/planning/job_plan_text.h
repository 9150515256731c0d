// Turns the plan of a job into the text that `carrack plan` prints. docs/reference/plan.md explains each line. Pure.
#pragma once

#include <string>

#include "trainer/planning/job_plan.h"

namespace carrack::train {

// Returns the text, of many lines. `config` must be the configuration from which job_plan() made the plan.
std::string text(const JobPlan& plan, const Config& config);

}  // namespace carrack::train
