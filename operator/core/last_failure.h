// Fills in status.lastFailure (which process failed last, and why) and status.lostSteps (how many training steps had to
// be computed again because of failures) of a TrainingJob. A start is one process of a member. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operator/core/restart.h"

namespace carrack::control {

// Values of LastFailure::reason besides the spellings of EndCause.
constexpr std::string_view start_error = "StartError";  // the program could not be executed
constexpr std::string_view hung = "Hung";               // the process hung, by its silence or the coordinator's report

// Returns the description of the end of a start. `pod` is the name of its process. `process` is nullptr if the cluster
// does not show that process any more; exit code and signal are then unknown. `note` says why the start has ended.
LastFailure failure_of(const ObservedProcess* process, const EndNote& note, const std::string& pod, Time now);

// True if a condition with this reason (reasons.h), such as JobRestarts or UserError, holds because of a process that
// failed, so that status.lastFailure explains it.
bool is_about_last_failure(std::string_view reason);

// The maximum of JobStatus::lost_steps, which keeps sums of untrusted numbers from overflowing.
constexpr std::int64_t lost_steps_max = 1'000'000'000'000'000'000;

// For a restart from the last commit (checkpoint): adds to status.lost_steps the reported steps after that commit (all
// if there is none), which are computed again. Call it before status.progress is cleared. Adds nothing if the job
// resumes another one and has made no commit yet, as its first step is then unknown.
void count_steps_lost_by_restart(JobStatus& status, const JobSpec& spec);
// For a running job that goes back to an earlier step, as after the loss of a parameter server: adds to
// status.lost_steps the number of steps by which `reported` is lower than status.progress; nothing if it is not lower.
// Call it before `reported` becomes status.progress.
void count_steps_lost_by_rollback(JobStatus& status, const Progress& reported);

}  // namespace carrack::control
