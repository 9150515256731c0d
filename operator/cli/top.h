// `carrack top`: shows a job and its members, live.
#pragma once

#include <span>

#include "operator/api_server/access.h"

namespace carrack::control {

// Takes the arguments after `top`. Returns the exit code; an error is printed, not thrown.
int top(std::span<char* const> arguments, const EnvironmentMap& environment);

}  // namespace carrack::control
