// `carrack logs JOB|FOLDER`: prints the logs of all processes (members) of a job, of a TrainingJob in a cluster or of a
// run on this machine.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `logs`, and the environment variables of this process, by which find_access() finds the
// cluster. With --follow it returns when the job is over. Returns the exit code: 0; 1 if logs could not be read or
// printed, or for another error; 2 for a mistake of the user. An error is printed, not thrown.
int logs(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
