// The pod template of a role of Kubeflow's jobs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/convert/conversion.h"
#include "operator/convert/torchrun.h"

namespace carrack::control {

struct ConvertedPod {
  Node pod_template;
  std::optional<std::int64_t> grace_seconds;  // how long its processes may take to end
};

// `field` is the path of the template, `job_name` that of the job, by which programs may know hosts of Kubeflow. The
// container that trains gets `variables`.
ConvertedPod convert_pod(const Node& pod_template, const std::string& field, const std::string& job_name,
                         const std::vector<Variable>& variables, Conversion& conversion);

}  // namespace carrack::control
