// What there is to say first about a job: the condition that tells how it is doing, and the advice about it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct Finding {
  std::string verdict;                   // follows the job's name
  std::string cure;                      // what to do
  const Condition* condition = nullptr;  // of the view's status; nullptr if none says this
};

Finding finding_of(const JobView& view);

}  // namespace carrack::control
