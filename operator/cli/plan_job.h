// The trainer's plan of a job. The main function of `carrack` passes it to `carrack plan`.
#pragma once

#include "operator/cli/plan.h"

namespace carrack::control {

// A JobPlanner (operator/cli/plan.h). Pure.
PlannedJob plan_job(const train::Config& config, unsigned cpus);

}  // namespace carrack::control
