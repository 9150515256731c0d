// `carrack explain`: says why a job waits or has failed, and what to do about it.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `explain`. `environment` finds the kubeconfig, as in find_access(). Returns the exit code.
// An error is printed, not thrown.
int explain_job(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
