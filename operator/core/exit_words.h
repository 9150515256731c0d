// Explains the exit codes of processes. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "operator/core/job.h"

namespace carrack::control {

// A process that signal n ended has exit code 128 + n.
constexpr int signal_exit_base = 128;

// The signal from 1 to 64 that ended a process with this exit code; nullopt if it is not the code of a signal.
std::optional<int> signal_of(int exit_code);

// The trainer's name of its exit code, such as UserError. Empty if the trainer has no such code, and always with
// strategy Own, where exit codes mean only success or failure.
std::string_view exit_name(const JobSpec& spec, int exit_code);

}  // namespace carrack::control
