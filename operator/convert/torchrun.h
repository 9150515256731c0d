// Turns the settings of torchrun in a PyTorchJob into the environment variables by which Kubeflow's operator passes
// them to the processes. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"

namespace carrack::control {

struct Variable {
  std::string name;
  std::string value;
};

// Returns the variables for `spec` of a PyTorchJob; empty for a TFJob. A value may contain $(MASTER_ADDR), which
// Kubernetes replaces. Adds the changes and problems of spec.nprocPerNode and spec.elasticPolicy to `conversion`.
std::vector<Variable> torchrun_variables(const Node::Map& spec, Conversion& conversion);

}  // namespace carrack::control
