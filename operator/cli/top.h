// `carrack top`: shows a job and its members, live.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `top`. `environment` finds the kubeconfig, as in find_access(), and may have NO_COLOR.
// Returns the exit code. An error is printed, not thrown.
int top(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
