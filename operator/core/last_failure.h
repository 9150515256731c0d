// Describes the last failure of a start for the status, and counts how many steps failures have cost.
#pragma once

#include <string>
#include <string_view>

#include "operator/core/restart.h"

namespace carrack::control {

// Values of LastFailure::reason besides the spellings of EndCause.
constexpr std::string_view start_error = "StartError";  // the program could not be executed
constexpr std::string_view hung = "Hung";               // the process hung, by its silence or the coordinator's report

// Describes the end of a start for the status. `pod` is the name of its process; `process` is nullptr if the cluster
// does not show that process any more.
LastFailure failure_of(const ObservedProcess* process, const EndNote& note, const std::string& pod, Time now);

// True if a condition with this reason has the last failure as its cause, so that LastFailure explains it.
bool is_about_last_failure(std::string_view reason);

// The bound of JobStatus::lost_steps, which keeps sums of untrusted numbers from overflowing.
constexpr std::int64_t lost_steps_max = 1'000'000'000'000'000'000;

// Adds to `lost_steps` the steps that a new start of the leader computes again: those reported after the last commit.
// Call it before status.progress is cleared. Adds nothing if the job resumes another one and has made no commit yet,
// as its first step is then unknown.
void count_steps_lost_by_restart(JobStatus& status, const JobSpec& spec);
// Adds to `lost_steps` the number of steps by which `reported` is behind status.progress, as after the loss of a
// parameter server. Call it before `reported` becomes status.progress.
void count_steps_taken_back(JobStatus& status, const Progress& reported);

}  // namespace carrack::control
