// What the mains pass into the programs: the environment of the process, and the trainer's check of a model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

// The environment variables by name; entries without '=' are left out.
std::map<std::string, std::string> environment();

// A ModelCheck: what the trainer finds wrong with the model, or with the rest of the configuration for this model.
std::vector<Problem> check_model(const train::Config& config);

}  // namespace carrack::control
