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
  // terminationGracePeriodSeconds, from 0 to 86,400, which pod_template does not have; nullopt if it is not given
  std::optional<std::int64_t> grace_seconds;
};

// Converts a template, and adds changes and problems to `conversion`; use the result only if there are no problems.
// `field` is the path of the template in Kubeflow's manifest. `job_name` is the job's metadata.name, which may be
// empty. Kubeflow's host names begin with it, and texts that contain such a name are added as unsupported. `variables`
// are added to the environment of the container that trains, and replace its variables of the same names.
ConvertedPod convert_pod(const Node& pod_template, const std::string& field, const std::string& job_name,
                         const std::vector<Variable>& variables, Conversion& conversion);

}  // namespace carrack::control
