// Converts spec.runPolicy of Kubeflow's jobs. Pure.
#pragma once

#include "operator/convert/conversion.h"

namespace carrack::control {

// Returns the fields of `spec.run` that follow from `policy`, the value of spec.runPolicy, which must not be null. Adds
// changes and problems to `conversion`. A field with a problem is left out of the result.
Node::Map convert_run_policy(const Node& policy, Conversion& conversion);

}  // namespace carrack::control
