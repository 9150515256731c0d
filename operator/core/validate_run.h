// The part of validate.h about spec.run.
#pragma once

#include "operator/core/problems.h"
#include "operator/core/run_policy.h"

namespace carrack::control {

void check_run(const RunPolicy& run, train::Strategy strategy, Problems& problems);

}  // namespace carrack::control
