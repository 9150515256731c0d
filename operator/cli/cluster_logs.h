// `carrack logs` of a job in a cluster.
#pragma once

#include "operator/cli/job_source.h"
#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of each member's newest pod, and how those before ended. With `follow` it goes on, also with the pods
// that replace these, until the job is over. Returns the exit code.
int print_logs_in_cluster(ClusterJob& job, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
