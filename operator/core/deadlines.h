// Decides which deadlines of spec.run have passed, and what follows. Pure.
#pragma once

#include "operator/core/restart.h"

namespace carrack::control {

// Returns the outcome of a job that has never run (JobStatus::start_time) and whose startDeadlineSeconds have passed.
// nullopt if there is time left or no such deadline, and if the job has run. Also nullopt if enough members run now,
// even if they still prepare the data.
std::optional<JobOutcome> missed_start(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                       Time now);

// True if activeDeadlineSeconds have passed. The job then drains as for a suspension, and fails with overdue_outcome()
// once no process is alive. The time counts from the creation of the job or its last resume; a suspended job has no
// deadline.
bool is_overdue(const JobStatus& status, const JobSpec& spec, Time now);
// spec.run.active_deadline must be set.
JobOutcome overdue_outcome(const JobSpec& spec);

// True if the job runs and has reported no new step for progressDeadlineSeconds. False if that is not known, because
// its progress cannot be read or it still works on its data. Also false if is_overdue(), if the job is to be suspended,
// and after the last commit (awaits_end_of_leader()).
bool is_stalled(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The earliest deadline after `now`; deletion_time() is one. nullopt if there is none.
std::optional<Time> next_deadline(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// When the finished job is to be deleted (ttlSecondsAfterFinished); nullopt if it is to stay, or has not finished.
std::optional<Time> deletion_time(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
