// Reads the folder of a `carrack run` for commands such as `carrack explain` and `carrack top`. The run may be at work,
// or have ended.
#pragma once

#include <string>

#include "operator/explain/job_view.h"

namespace carrack::control {

// Returns what is saved about the job of the run in `folder`. The result has no processes and no events, and
// JobView::is_at_work says whether a process runs the job. `now` becomes JobView::now. Throws Error with Blame::user if
// the folder has no run, or if what is saved there cannot be read.
JobView view_run(const std::string& folder, Time now);

}  // namespace carrack::control
