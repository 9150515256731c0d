// `carrack-operator`: jobs of a Kubernetes cluster, looked after until it is asked to stop.
#pragma once

#include <cstdint>

#include "operator/api_server/access.h"
#include "operator/cli/operator_options.h"
#include "operator/core/validate.h"

namespace carrack::control {

// `seed` is of what is spread by chance: the pauses before something is tried again.
int operate(const OperatorOptions& options, const EnvironmentMap& environment, std::uint32_t seed,
            const ModelCheck& check_model);

}  // namespace carrack::control
