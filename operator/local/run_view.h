// What the folder of a run on this machine says of its job. Only reads it.
#pragma once

#include <string>

#include "operator/explain/job_view.h"

namespace carrack::control {

// Throws Error (user) if there is no run in the folder, or if what is saved there cannot be read.
JobView view_run(const std::string& folder, Time now);

}  // namespace carrack::control
