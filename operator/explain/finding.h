// Finds what to say first about a job: the condition that says how it is doing, and the advice about it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct Finding {
  std::string verdict;                   // follows the job's name
  std::string cure;                      // what to do
  const Condition* condition = nullptr;  // points into view.status; nullptr if no condition says this
};

Finding finding_of(const JobView& view);

}  // namespace carrack::control
