// The settings of torchrun in a PyTorchJob, as the variables of the environment in which Kubeflow's operator passes
// them on. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"

namespace carrack::control {

struct Variable {
  std::string name;
  std::string value;
};

// Of `spec` of a PyTorchJob; none for a TFJob. Lists the changes of spec.nprocPerNode and spec.elasticPolicy.
std::vector<Variable> torchrun_variables(const Node::Map& spec, Conversion& conversion);

}  // namespace carrack::control
