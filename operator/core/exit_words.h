// Explains the exit codes of a job's processes, for conditions, events and `carrack explain`. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "operator/core/job.h"

namespace carrack::control {

// A process that signal n ended has exit code 128 + n, as in shells and Kubernetes.
constexpr int signal_exit_base = 128;

// signal_of(137) -> 9 (SIGKILL). nullopt if the code is not from 129 to 192.
std::optional<int> signal_of(int exit_code);

// exit_name(spec, 81) -> "UserError": the name of an exit code of carrack-trainer (trainer/launch/exit.h). Empty if the
// trainer has no such code, and always with strategy Own, where processes run the user's own program.
std::string_view exit_name(const JobSpec& spec, int exit_code);

}  // namespace carrack::control
