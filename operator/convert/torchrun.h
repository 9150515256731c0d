// The part of `carrack convert` for torchrun: turns spec.elasticPolicy and spec.nprocPerNode of a PyTorchJob into the
// environment variables that Kubeflow's operator would set, such as PET_NPROC_PER_NODE=auto. Pure.
#pragma once

#include <string>
#include <vector>

#include "operator/convert/conversion.h"

namespace carrack::control {

// An environment variable of the container that trains.
struct Variable {
  std::string name;
  std::string value;
};

// Returns the variables for the fields `spec` of a PyTorchJob; empty for a TFJob. A value may contain $(MASTER_ADDR)
// and $(MASTER_PORT), which Kubernetes replaces. Adds the changes and problems of the two fields to `conversion`.
std::vector<Variable> torchrun_variables(const Node::Map& spec, Conversion& conversion);

}  // namespace carrack::control
