// What each reason of a condition means for the user of a job, and what to do about it.
// docs/reference/explain.md has the same table.
#pragma once

#include <span>
#include <string_view>

#include "operator/core/job_status.h"

namespace carrack::control {

// Of the words in capital letters, MEMBERS stands for the members concerned, ROLE for their role, PROGRESS for how far
// the job is, JOB for its name, TARGET for what a command takes to find it, and CHECKPOINTS for its checkpoint folder.
struct Advice {
  std::string_view reason;            // of operator/core/reasons.h
  std::string_view verdict;           // follows the job's name
  std::string_view cure;              // on Kubernetes
  std::string_view cure_of_run = {};  // on this machine; empty: the same
};

std::span<const Advice> all_advice();

// nullptr for a reason that this release does not know.
const Advice* advice_about(std::string_view reason);

// What to do about a process that ended in a way that no reason tells apart, such as by a signal. Empty if there is
// nothing to add.
std::string_view cure_of_end(const LastFailure& failure);

}  // namespace carrack::control
