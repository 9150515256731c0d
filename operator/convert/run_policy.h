// spec.runPolicy of Kubeflow's jobs. Pure.
#pragma once

#include "operator/convert/conversion.h"

namespace carrack::control {

// The fields of `spec.run` that follow from it.
Node::Map convert_run_policy(const Node& policy, Conversion& conversion);

}  // namespace carrack::control
