// Writes the conditions and replica counts of a job's status, from the members that are wanted and the processes that
// are seen.
#pragma once

#include <string>
#include <vector>

#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {

// The notes of `ended` become messages of Restarting and Running. Restarting holds from the end of a process until
// enough members run; what has not run yet is only waited for.
void update_conditions(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                       const EndedStarts& ended, Time now);

// Ends the job: Finished holds from now on, and nothing changes it again.
void finish(JobStatus& status, const JobOutcome& outcome, Time now);

// Records why the operator leaves this job alone: it failed while deciding on it, or its spec is that of a newer
// release.
void park(JobStatus& status, const char* reason, const std::string& message, Time now);

}  // namespace carrack::control
