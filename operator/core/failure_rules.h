// Which rule of spec.run.failureRules is for the end of a process.
#pragma once

#include "operator/core/observed.h"

namespace carrack::control {

// The first rule that fits a process which has exited, or which the cluster takes away; nullptr if none
// does, and after success.
const FailureRule* find_rule(const RunPolicy& run, const ObservedProcess& process);

}  // namespace carrack::control
