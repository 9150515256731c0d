// Computes what resources a job of the trainer needs, by the trainer's own planning (trainer/planning). The main
// function of `carrack` passes this function to `carrack plan`, which does not link the trainer.
#pragma once

#include "operator/cli/plan.h"

namespace carrack::control {

// A JobPlanner (operator/cli/plan.h). `config` must be valid. `cpus` is the number of CPUs of each process. Pure.
PlannedJob plan_job(const train::Config& config, unsigned cpus);

}  // namespace carrack::control
