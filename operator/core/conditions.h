// Writes the conditions and replica counts of a job's status, from the wanted members and the observed processes. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {

// Updates all conditions and `replicas`, and sets `start_time` when Running holds for the first time. Restarting holds
// from the end of a process that ran until enough members run; `ended.notes` become its message. They are also part of
// the message of Running while too few members run.
void update_conditions(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                       const EndedStarts& ended, Time now);

// Ends the job: sets Succeeded or Failed, Finished, and the completion time. The other conditions and `replicas` follow
// with the next update_conditions().
void finish(JobStatus& status, const JobOutcome& outcome, Time now);

// Sets Running to false to record why the operator leaves this job alone: deciding on it threw, or its spec is of a
// newer release. `reason` is one of reasons.h.
void park(JobStatus& status, const char* reason, const std::string& message, Time now);

}  // namespace carrack::control
