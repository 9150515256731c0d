// The trainer's plan of a job, which the main of `carrack` passes to `carrack plan`.
#pragma once

#include "operator/cli/plan.h"

namespace carrack::control {

// A JobPlanner.
PlannedJob plan_job(const train::Config& config, unsigned cpus);

}  // namespace carrack::control
