// What each reason of a condition means for the user of a job, and what to do about it.
// docs/reference/explain.md has the same table.
#pragma once

#include <span>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

// Of the words in capital letters, MEMBERS stands for the members concerned, ROLE for their role, PROGRESS for how far
// the job is, JOB for its name, TARGET for what a command takes to find it, CHECKPOINTS for its checkpoint folder, and
// AGAIN for the sentences of again().
struct Advice {
  std::string_view reason;            // of operator/core/reasons.h
  std::string_view verdict;           // follows the job's name
  std::string_view cure;              // on Kubernetes
  std::string_view cure_of_run = {};  // on this machine; empty: the same
};

// What is said of jobs of the trainer, one for each reason.
std::span<const Advice> all_advice();
// What is said in place of it where a job runs the user's own program.
std::span<const Advice> advice_of_own();

// nullptr for a reason that this release does not know.
const Advice* advice_about(const JobSpec& spec, std::string_view reason);

// How a job that has failed is tried again, once its cause is gone.
std::string_view again(const JobSpec& spec, Place place);

// What to do about a process that ended in a way that no reason tells apart, such as by a signal. Empty if there is
// nothing to add.
std::string_view cure_of_end(const JobSpec& spec, const LastFailure& failure);

}  // namespace carrack::control
