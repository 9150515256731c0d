// Converts the roles of Kubeflow's jobs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/convert/restart_rules.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {

struct ConvertedReplicas {
  Node::Map replicas;                         // the fields of spec.replicas: coordinator, ps and worker
  std::vector<RoleRestarts> restarts;         // the restart policy of each role in `replicas`
  std::optional<std::int64_t> grace_seconds;  // the longest grace period of a role, at least 1; nullopt: none is given
};

// Converts `specs`, the value of spec.tfReplicaSpecs or spec.pytorchReplicaSpecs. Adds changes and problems to
// `conversion`; use the result only if there are no problems. Leaves out roles with 0 replicas. `job_name` and
// `variables` are passed to convert_pod().
ConvertedReplicas convert_replicas(const Node& specs, const std::string& job_name,
                                   const std::vector<Variable>& variables, Conversion& conversion);

// True if the job has a Chief or Master. That is then its leader; otherwise worker 0 is.
bool has_coordinator(const ConvertedReplicas& converted);

}  // namespace carrack::control
