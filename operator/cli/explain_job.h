// `carrack explain JOB|FOLDER`: says why a job waits or has failed and what to do about it, or how far it is. The job
// is a TrainingJob in a cluster, or a run on this machine.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `explain`, and the environment variables of this process, by which find_access() finds the
// cluster. Returns the exit code: 0, also if the job has failed; 2 for a mistake of the user, such as a job that does
// not exist; 1 for any other error. An error is printed, not thrown.
int explain_job(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
