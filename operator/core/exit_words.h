// What the exit code of a process says. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "operator/core/job.h"

namespace carrack::control {

// The exit code after signal n is this plus n.
constexpr int exit_code_of_signal = 128;

// The signal that ended a process with that exit code; nullopt if none did.
std::optional<int> signal_of(int exit_code);

// The trainer's name for its exit code: UserError. Empty if it has no such code, and for the user's own program, whose
// exit codes have no other meaning than success and failure.
std::string_view exit_name(const JobSpec& spec, int exit_code);

}  // namespace carrack::control
