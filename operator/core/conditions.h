// Writes status.conditions and status.replicas of a TrainingJob for reconcile(): Created, Running, Restarting, Stalled,
// Suspended, Succeeded, Failed and Finished. The functions change `status` in place and have no other effect.
#pragma once

#include <string>
#include <vector>

#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {

// Updates all conditions and `replicas` to what the cluster shows now, and sets `start_time` when Running holds for the
// first time. Restarting holds from the end of a process that ran until enough members run. `ended` is the result of
// record_ended_starts(); its notes become the message of Restarting and part of that of Running.
void update_conditions(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                       const EndedStarts& ended, Time now);

// Marks the job as ended: sets Succeeded or Failed, Finished, and the completion time. Call update_conditions() after
// it to update the other conditions and `replicas`. Stops no process.
void finish(JobStatus& status, const JobOutcome& outcome, Time now);

// For a job that the operator does not handle, because reconcile() threw for it or a newer release wrote its spec: sets
// Running to false, with the cause as reason (one of reasons.h) and message. All else stays as it is.
void park(JobStatus& status, const char* reason, const std::string& message, Time now);

}  // namespace carrack::control
