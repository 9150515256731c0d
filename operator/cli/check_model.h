// Checks whether the trainer can train the model of a job, such as whether its layers fit together. The main functions
// of `carrack` and `carrack-operator` pass this function to the commands, so that these need not link the trainer's
// models.
#pragma once

#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

// A ModelCheck (operator/core/validate.h). Returns the problems of spec.model, and of other fields in combination with
// this model; empty if there are none. Pure.
std::vector<Problem> check_model(const train::Config& config);

}  // namespace carrack::control
