// The part of `carrack convert` for the roles of a job: turns spec.tfReplicaSpecs or spec.pytorchReplicaSpecs (Chief,
// Master, PS, Worker) into spec.replicas of a TrainingJob (coordinator, ps, worker). Pure.
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

// `specs` is the value of spec.tfReplicaSpecs or spec.pytorchReplicaSpecs. Adds changes and problems to `conversion`;
// use the result only if there are no problems. Leaves out roles with 0 replicas. `job_name` and `variables` are passed
// to convert_pod() (pod.h).
ConvertedReplicas convert_replicas(const Node& specs, const std::string& job_name,
                                   const std::vector<Variable>& variables, Conversion& conversion);

// True if Kubeflow's job has a Chief or Master, which becomes the coordinator. The coordinator leads the job: its
// success is that of the job. Without it worker 0 leads.
bool has_coordinator(const ConvertedReplicas& converted);

}  // namespace carrack::control
