// Finds the rule of spec.run.failureRules that applies to the end of a process, as podFailurePolicy of a Kubernetes
// Job. Pure.
#pragma once

#include "operator/core/observed.h"

namespace carrack::control {

// Returns the first rule of run.failure_rules that fits the process; nullptr if no rule fits, or if the process has
// exited with 0. Points into `run`. `process` has exited, or the operator does not wait for its exit, such as on a lost
// node. A rule with exit codes fits only a process that ran and has exited.
const FailureRule* find_rule(const RunPolicy& run, const ObservedProcess& process);

}  // namespace carrack::control
