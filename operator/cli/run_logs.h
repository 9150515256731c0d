// `carrack logs` for a run on this machine.
#pragma once

#include <string>

#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of the newest process of each chosen member, and the last words of its earlier processes. With
// choice.follow it continues until no `carrack run` is at work in `folder`, the folder of the run. Returns the exit
// code: 1 if nobody reads standard output. Throws Error: Blame::platform if a log cannot be read, Blame::user if the
// saved job cannot.
int print_logs_of_run(const std::string& folder, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
