// `carrack top JOB|FOLDER`: shows how fast a job trains and the state of each of its processes (members). On a terminal
// it redraws this each second.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `top`, and the environment variables of this process, by which find_access() finds the
// cluster. If NO_COLOR is among them and not empty, there are no colors. On a terminal it returns when the job, or the
// run, is over or suspended; elsewhere, or with --once, it prints once. Returns the exit code: 0, 2 for a mistake of
// the user, 1 for any other error. An error is printed, not thrown.
int top(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
