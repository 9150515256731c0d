// `carrack-operator`: serves the TrainingJobs of a Kubernetes cluster until a stop is requested.
#pragma once

#include <cstdint>

#include "operator/api_server/access.h"
#include "operator/cli/operator_options.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Returns the exit code: 0 after SIGTERM or SIGINT, 1 after an error, which is logged, not thrown. `seed` starts the
// random numbers for pauses before retries. `check_model` is called by several threads at the same time. Call this once
// in a process, before any thread starts: it handles signals (signals.h) and sets the logger.
int operate(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
            const ModelCheck& check_model);

}  // namespace carrack::control
