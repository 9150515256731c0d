// The trainer's check of a model. The main functions of `carrack` and `carrack-operator` pass it to the commands.
#pragma once

#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

// A ModelCheck (operator/core/validate.h). Returns what is wrong with the model, and with other fields in combination
// with this model. Pure.
std::vector<Problem> check_model(const train::Config& config);

}  // namespace carrack::control
