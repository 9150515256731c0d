// Validates the values of a decoded spec and lists all problems by the fields that the user typed. A job whose spec has
// problems fails with reason InvalidSpec before any process is created. Only the trainer knows what the model requires,
// so the main of each program passes in a ModelCheck. reconcile() and the commands that read a manifest call it. All
// functions are pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

struct Problem {
  std::string field;  // path in the manifest, such as spec.training.batch
  std::string text;   // what is wrong and what to do
  bool operator==(const Problem&) const = default;
};

// Returns the problems of spec.model, and of other fields in combination with this model. Must be pure. It is called
// even if other fields have problems.
using ModelCheck = std::function<std::vector<Problem>(const train::Config&)>;

// Returns all problems of the spec; empty if it is valid. `check_model` is not called for strategy Own, and must not be
// empty otherwise.
std::vector<Problem> problems_in(const JobSpec& spec, const ModelCheck& check_model);

// One line for each problem, `field: text`, without a line break at the end.
std::string describe(const std::vector<Problem>& problems);

}  // namespace carrack::control
