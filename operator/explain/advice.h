// What each reason of a condition means for the user of a job, and what to do about it.
// docs/reference/explain.md has the same table.
#pragma once

#include <span>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

// The texts are templates. The caller replaces these words with filled_in() (phrases.h): MEMBERS by the members
// concerned, ROLE by their role, PROGRESS by how far the job is, JOB by its name, TARGET by the argument with which
// commands find the job, CHECKPOINTS by its checkpoint folder, and AGAIN by the sentences of again().
struct Advice {
  std::string_view reason;            // the reason of a condition, from operator/core/reasons.h
  std::string_view verdict;           // the rest of a sentence that begins with the job's name
  std::string_view cure;              // what to do, for a job on Kubernetes
  std::string_view cure_of_run = {};  // what to do, for a run on this machine; empty: the same as `cure`
};

// The advice for each reason. It is worded for jobs of the trainer.
std::span<const Advice> all_advice();
// The advice that replaces it for jobs with strategy Own. Most reasons have none here.
std::span<const Advice> advice_of_own();

// Returns the advice about a reason for this job; nullptr if this release does not know the reason. It lives as long as
// the process.
const Advice* advice_about(const JobSpec& spec, std::string_view reason);

// Returns how to try a failed job again once the cause is gone. The text may contain TARGET and CHECKPOINTS.
std::string_view again(const JobSpec& spec, Place place);

// Returns what to do about the way in which a process ended, such as a lack of memory. The reason of the condition does
// not say that. The text may contain ROLE and TARGET. Empty if this way to end needs no advice of its own.
std::string_view cure_of_end(const JobSpec& spec, const LastFailure& failure);

}  // namespace carrack::control
