// Carries out `carrack logs` (logs.h) for a `carrack run` on this machine, from the log files in its folder.
// cluster_logs.h does it for a job in a cluster.
#pragma once

#include <string>

#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of the newest process of each chosen member, and for each earlier process its last output
// (last_words() of operator/local/log_files.h). With choice.follow it goes on until no `carrack run` works in `folder`,
// the folder of the run. Returns the exit code, 0 or 1. It is 1 if standard output is closed, and, without
// choice.follow, if no chosen member has a log. Throws Error: Blame::platform if a log cannot be read, Blame::user if
// the saved job cannot.
int print_logs_of_run(const std::string& folder, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
