// Decides which deadlines of spec.run (startDeadlineSeconds, activeDeadlineSeconds, progressDeadlineSeconds,
// ttlSecondsAfterFinished) have passed, and how the job ends then. reconcile() calls this. A deadline that the manifest
// does not set never passes. Pure.
#pragma once

#include "operator/core/restart.h"

namespace carrack::control {

// Returns the failure (reason StartDeadlineExceeded) of a job that has never run (JobStatus::start_time) and whose
// startDeadlineSeconds have passed. nullopt if there is time left, if the job has run, or if enough members run now,
// even if they still prepare the data.
std::optional<JobOutcome> missed_start(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                       Time now);

// True if activeDeadlineSeconds have passed since the first decision on the job (condition Created) or its last resume.
// The job then stops as for a suspension, so that its work is committed, and fails with overdue_outcome() once no
// process is alive. False while the job is suspended or to be suspended, and once it has finished.
bool is_overdue(const JobStatus& status, const JobSpec& spec, Time now);
// Returns the failure with reason DeadlineExceeded. spec.run.active_deadline must be set.
JobOutcome overdue_outcome(const JobSpec& spec);

// True if the job runs and has reported no new step for progressDeadlineSeconds. All its members then restart, or the
// job fails if backoffLimit is used up. The time since its progress was last read does not count. False if its progress
// cannot be read for long or it still prepares its data. Also false if is_overdue(), if the job is to be suspended, and
// after the last commit (awaits_end_of_leader()).
bool is_stalled(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// Returns the earliest of all four deadlines that is after `now`, when reconcile() has to be called again; nullopt if
// there is none.
std::optional<Time> next_deadline(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// Returns when the finished job is to be deleted (ttlSecondsAfterFinished); nullopt if it is to stay, or has not
// finished. May be in the past.
std::optional<Time> deletion_time(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
