// Finds the rule of spec.run.failureRules that applies to the end of a process.
#pragma once

#include "operator/core/observed.h"

namespace carrack::control {

// Returns the first rule that fits the process, which has exited or whose start ends before it has exited. A rule with
// exit codes fits only a process that ran and has exited. nullptr if no rule fits, or if the process has exited with 0.
// Points into `run`.
const FailureRule* find_rule(const RunPolicy& run, const ObservedProcess& process);

}  // namespace carrack::control
