// `carrack logs`: prints the logs of the members of a job.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `logs`. `environment` finds the kubeconfig, as in find_access(). Returns the exit code. An
// error is printed, not thrown.
int logs(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
