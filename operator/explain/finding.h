// Finds what is most important about a job: the condition that says how it is doing, and the advice about it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct Finding {
  std::string verdict;                   // the rest of a sentence that begins with the job's name
  std::string cure;                      // what to do
  const Condition* condition = nullptr;  // points into view.status; nullptr: the verdict is not about a condition
};

// The texts may contain unprintable characters.
Finding finding_of(const JobView& view);

}  // namespace carrack::control
