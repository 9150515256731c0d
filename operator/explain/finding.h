// Chooses, for `carrack explain` and `carrack top`, the one condition of a job that says how it is doing, and the
// advice about it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

struct Finding {
  std::string verdict;  // the rest of a sentence that begins with the job's name: "waits: no node can take worker 1"
  std::string cure;     // sentences that say what the user should do
  // The condition to show as the cause. Points into view.status, so `view` must outlive it. nullptr: there is none.
  const Condition* condition = nullptr;
};

// Always returns a verdict, even for a job without conditions. The texts are complete, without words to replace. They
// may contain unprintable characters.
Finding finding_of(const JobView& view);

}  // namespace carrack::control
