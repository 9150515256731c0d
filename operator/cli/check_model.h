// What the mains pass into the programs: the trainer's check of a model.
#pragma once

#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

// A ModelCheck: what the trainer finds wrong with the model, or with the rest of the configuration for this model.
std::vector<Problem> check_model(const train::Config& config);

}  // namespace carrack::control
