// `carrack logs` for a job in a cluster.
#pragma once

#include "operator/cli/job_source.h"
#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of each member's newest pod, and how earlier pods ended. With choice.follow it goes on, also with the
// pods that replace these, until the job is over. Returns the exit code, which is 1 if a log could not be read or
// nobody reads standard output. Throws Error if the job cannot be read.
int print_logs_in_cluster(ClusterJob& job, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
