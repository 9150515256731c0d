// `carrack logs` for a run on this machine.
#pragma once

#include <string>

#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of each member's newest start, and the last words of earlier starts. With choice.follow it goes on
// until no `carrack run` is at work in the folder. Returns the exit code. Throws Error if a log cannot be read.
int print_logs_of_run(const std::string& folder, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
