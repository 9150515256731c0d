// What the main of `carrack` passes into `carrack plan`: the trainer's plan of a job.
#pragma once

#include "operator/cli/plan.h"

namespace carrack::control {

// A JobPlanner.
PlannedJob plan_job(const train::Config& config, unsigned cpus);

}  // namespace carrack::control
