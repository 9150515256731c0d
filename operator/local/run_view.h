// Reads what the folder of a run on this machine says about its job.
#pragma once

#include <string>

#include "operator/explain/job_view.h"

namespace carrack::control {

// Returns the view of the run in `folder`, without processes and events. `now` becomes JobView::now. Throws Error with
// Blame::user if the folder has no run, or if what is saved there cannot be read.
JobView view_run(const std::string& folder, Time now);

}  // namespace carrack::control
