// Carries out `carrack logs` (logs.h) for a job in a Kubernetes cluster, as kubectl logs does for one pod. run_logs.h
// does it for a run on this machine.
#pragma once

#include "operator/cli/job_source.h"
#include "operator/cli/log_choice.h"

namespace carrack::control {

// Prints the log of the newest pod of each chosen member, and how earlier pods ended. With choice.follow it goes on,
// also with the pods that replace these, until the job is finished, suspended or deleted and these logs have ended, and
// tries again while the cluster does not answer or does not list the pods. Returns the exit code, 0 or 1. It is 1
// - if standard output is closed, or the user may not read the pods;
// - without choice.follow, if no chosen member has a pod or a log cannot be read.
// Throws Error if the job cannot be read, or with Blame::user if more than 100 logs are to be followed.
int print_logs_in_cluster(ClusterJob& job, const LogChoice& choice, LogPrinter& printer);

}  // namespace carrack::control
