// Converts the pod template of a role of Kubeflow's jobs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {

struct ConvertedPod {
  Node pod_template;
  std::optional<std::int64_t> grace_seconds;  // terminationGracePeriodSeconds; nullopt if not given
};

// Adds changes and problems to `conversion`. `field` is the path of the template in Kubeflow's manifest. `job_name` is
// the job's metadata.name, with which Kubeflow's host names begin: texts with such names are listed. `variables` are
// added to the environment of the container that trains.
ConvertedPod convert_pod(const Node& pod_template, const std::string& field, const std::string& job_name,
                         const std::vector<Variable>& variables, Conversion& conversion);

}  // namespace carrack::control
