// The part of `carrack convert` for spec.runPolicy of a Kubeflow job (suspend, backoffLimit, cleanPodPolicy, ...),
// which becomes spec.run of a TrainingJob. Pure.
#pragma once

#include "operator/convert/conversion.h"

namespace carrack::control {

// Returns the fields of spec.run; empty if there are none. `policy` is the value of spec.runPolicy, which must not be
// null. Adds changes and problems to `conversion`. A field with a problem is left out of the result.
Node::Map convert_run_policy(const Node& policy, Conversion& conversion);

}  // namespace carrack::control
