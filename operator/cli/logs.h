// `carrack logs JOB|FOLDER`: prints for each member (role and index, such as worker-1) of a job the log of its newest
// process, and how its earlier processes ended. The job is a TrainingJob in a cluster, or a run on this machine.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `logs`, and the environment variables of this process, by which find_access() finds the
// cluster. With --follow it returns when the job, or the run, is over or suspended. Returns the exit code: 0; 1 if logs
// could not be read or printed, if there are none and --follow is not set, or for another error; 2 for a mistake of the
// user. An error is printed, not thrown.
int logs(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
