// What is wrong with a spec, all of it, in the words the user typed.
// Holds what a schema cannot say; an unfit spec shows as Failed/InvalidSpec before any process exists.
// What follows from the model is the trainer's to say: each program's main passes its word in as a ModelCheck.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

struct Problem {
  std::string field;  // path in the manifest: spec.training.batch
  std::string text;   // what is wrong and what to do
  bool operator==(const Problem&) const = default;
};

// What is wrong with the model, or with the rest for this model; a pure function.
using ModelCheck = std::function<std::vector<Problem>(const train::Config&)>;

std::vector<Problem> problems_in(const JobSpec& spec, const ModelCheck& check_model);

// One line each: `field: text`.
std::string text_of(const std::vector<Problem>& problems);

}  // namespace carrack::control
