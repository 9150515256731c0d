// `carrack logs` for a job in a cluster.
#pragma once

#include "operator/cli/job_source.h"
#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of each chosen member's newest pod, and how earlier pods ended. With choice.follow it continues until
// the job is finished, suspended or being deleted, also with pods that replace these. Returns the exit code: 1 if
// nobody reads standard output, if the pods cannot be read or, without choice.follow, if no chosen member has a pod or
// a log cannot be read. Throws Error if the job cannot be read, or if more than 100 logs are to be followed. Once it
// follows logs, it tries again if the cluster does not answer.
int print_logs_in_cluster(ClusterJob& job, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
