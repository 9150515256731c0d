// A job's status in words: conditions and counts, derived from who is wanted and what is seen.
#pragma once

#include <string>
#include <vector>

#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {

// `notes` say which starts ended just now.
void describe(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
              const std::vector<std::string>& notes, Time now);

// The job is over: nothing of it is wanted any more, and nothing changes this again.
void finish(JobStatus& status, const Verdict& verdict, Time now);

// The operator broke a rule of its own while deciding on this job, and leaves it alone until its spec changes.
void park(JobStatus& status, const std::string& broken, Time now);

}  // namespace carrack::control
