// What is wrong with a spec, all of it, in the words the user typed.
// Holds what a schema cannot say; an unfit spec shows as Failed/InvalidSpec before any process exists.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job.h"

namespace carrack::control {

struct Problem {
  std::string field;  // path in the manifest: spec.training.batch
  std::string text;   // what is wrong and what to do
  bool operator==(const Problem&) const = default;
};

std::vector<Problem> problems_in(const JobSpec& spec);

// One line each: `field: text`.
std::string text_of(const std::vector<Problem>& problems);

}  // namespace carrack::control
