// `carrack-operator`: the controller that watches the TrainingJobs of a Kubernetes cluster and runs each as pods. Its
// main function calls operate().
#pragma once

#include <cstdint>

#include "operator/api_server/access.h"
#include "operator/cli/operator_options.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Runs the controller until SIGTERM or SIGINT, and then returns exit code 0. Returns 1 after an error that it cannot
// survive, such as a missing kubeconfig; the error is logged, not thrown. While the API server cannot be reached it
// tries again. `environment` is that of this process, for find_access(). `seed` starts the random numbers for pauses
// before retries; use another one in each process. `check_model` is called by several threads at the same time. Call
// this once in a process, before any thread starts: it handles signals (signals.h) and sets the logger.
int operate(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
            const ModelCheck& check_model);

}  // namespace carrack::control
