// The trainer's check of a model, which the mains pass to `carrack` and `carrack-operator`.
#pragma once

#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

// A ModelCheck. Returns what is wrong with the model, or with the rest of the configuration for this model.
std::vector<Problem> check_model(const train::Config& config);

}  // namespace carrack::control
