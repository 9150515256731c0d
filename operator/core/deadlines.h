// The deadlines of spec.run: which has passed, and what follows.
#pragma once

#include "operator/core/restart.h"

namespace carrack::control {

// The end of a job that was to run by now and never has; nullopt if there is time left, or it has run, or enough of its
// members run now, though they may only prepare the data yet.
std::optional<JobOutcome> missed_start(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                       Time now);

// True if the job may not be active any longer: its members leave as for a suspension, and then it fails.
bool is_overdue(const JobStatus& status, const JobSpec& spec, Time now);
JobOutcome overdue_outcome(const JobSpec& spec);

// True if the job trains and has made no new step for too long. If nobody can read its progress, or it works on its
// data, that is not known.
bool is_stalled(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// The next of these deadlines; nullopt if there is none.
std::optional<Time> next_deadline(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now);

// When the job is to be deleted; nullopt if it is not.
std::optional<Time> deletion_time(const JobStatus& status, const JobSpec& spec);

}  // namespace carrack::control
