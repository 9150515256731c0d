// The roles of Kubeflow's jobs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/convert/restart_rules.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {

struct ConvertedReplicas {
  Node::Map replicas;                         // the fields of spec.replicas
  std::vector<RoleRestarts> restarts;         // of each role in it
  std::optional<std::int64_t> grace_seconds;  // the longest of all roles that give one
};

// `specs` is the value of spec.tfReplicaSpecs or spec.pytorchReplicaSpecs. `job_name` and `variables` are those of
// convert_pod().
ConvertedReplicas convert_replicas(const Node& specs, const std::string& job_name,
                                   const std::vector<Variable>& variables, Conversion& conversion);

// True if the roles have a leader other than a worker.
bool has_coordinator(const ConvertedReplicas& converted);

}  // namespace carrack::control
