// What each reason of a condition means for the user of a job, and what to do about it.
// docs/reference/explain.md has the same table.
#pragma once

#include <span>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

// The texts contain words in capital letters that filled_in() replaces: MEMBERS by the members concerned, ROLE by their
// role, PROGRESS by how far the job is, JOB by its name, TARGET by the argument with which commands find it,
// CHECKPOINTS by its checkpoint folder, and AGAIN by the sentences of again().
struct Advice {
  std::string_view reason;            // of operator/core/reasons.h
  std::string_view verdict;           // follows the job's name
  std::string_view cure;              // what to do, on Kubernetes
  std::string_view cure_of_run = {};  // what to do on this machine; empty: the same as `cure`
};

// The advice about jobs of the trainer, one for each reason.
std::span<const Advice> all_advice();
// The advice that replaces it for jobs that run the user's own program; has only some of the reasons.
std::span<const Advice> advice_of_own();

// Returns nullptr for a reason that this release does not know.
const Advice* advice_about(const JobSpec& spec, std::string_view reason);

// How to try a failed job again once the cause is gone. Contains TARGET and CHECKPOINTS.
std::string_view again(const JobSpec& spec, Place place);

// What to do about the way in which a process ended, such as a lack of memory, which the reason of the condition does
// not say. Contains ROLE and TARGET. Empty if the end needs no advice of its own.
std::string_view cure_of_end(const JobSpec& spec, const LastFailure& failure);

}  // namespace carrack::control
