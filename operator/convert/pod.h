// The part of `carrack convert` for one pod template: turns `template` of a role in a TFJob or PyTorchJob into
// `template` of a role in a TrainingJob. replicas.h calls it for each role. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {

struct ConvertedPod {
  Node pod_template;
  // terminationGracePeriodSeconds, from 0 to 86,400; nullopt if the template has none. It is removed from pod_template,
  // because a TrainingJob has spec.run.drainSeconds instead.
  std::optional<std::int64_t> grace_seconds;
};

// Adds changes and problems to `conversion`; use the result only if there are no problems. `field` is the path of the
// template in Kubeflow's manifest. `variables` are added to the environment of the container that trains, and replace
// its variables of the same names. `job_name` is the job's metadata.name; it may be empty. Kubeflow's host names begin
// with it (mnist-worker-0), and they do not exist any more: each text with such a name is added as unsupported.
ConvertedPod convert_pod(const Node& pod_template, const std::string& field, const std::string& job_name,
                         const std::vector<Variable>& variables, Conversion& conversion);

}  // namespace carrack::control
