// The texts of `carrack explain`: what each reason of a condition (operator/core/reasons.h) means for the user of a
// job, and what to do about it. finding.h chooses the text for a job. docs/reference/explain.md has the same table.
#pragma once

#include <span>
#include <string_view>

#include "operator/explain/job_view.h"

namespace carrack::control {

// The texts are templates, such as the verdict "waits: no node can take MEMBERS". The caller replaces these words with
// filled_in() (phrases.h):
// - MEMBERS: the members concerned, such as "2 of 4 workers"; ROLE: their role, such as "worker";
// - PROGRESS: how far the job is; CHECKPOINTS: its checkpoint folder; AGAIN: retry_advice();
// - JOB: the job's name; TARGET: the argument by which `carrack` finds it, a name or the folder of a run.
struct Advice {
  std::string_view reason;            // a reason of operator/core/reasons.h
  std::string_view verdict;           // the rest of a sentence that begins with the job's name
  std::string_view cure;              // sentences that say what to do, for a job on Kubernetes
  std::string_view cure_of_run = {};  // what to do, for a run on this machine; empty: the same as `cure`
};

// The tables from which advice_about() chooses; tests compare them with the documentation. all_advice() is worded for
// jobs of the trainer. advice_of_own() replaces it for jobs with strategy Own (the user's own program), and lacks most
// reasons.
std::span<const Advice> all_advice();
std::span<const Advice> advice_of_own();

// Returns the advice about a reason for this job: that of advice_of_own() if the job has strategy Own and there is one,
// else that of all_advice(). nullptr if this release does not know the reason. The advice lives as long as the process.
const Advice* advice_about(const JobSpec& spec, std::string_view reason);

// Returns sentences that say how the user can run a failed job again once the cause is gone. The text may contain
// TARGET and CHECKPOINTS.
std::string_view retry_advice(const JobSpec& spec, Place place);

// Returns what to do about the way in which a process ended, such as a lack of memory, which the reason of a condition
// does not say. The text may contain ROLE and TARGET. Empty if this kind of end has no advice of its own.
std::string_view cure_of_end(const JobSpec& spec, const LastFailure& failure);

}  // namespace carrack::control
