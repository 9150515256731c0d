// The objects that we create for a job, as the API server takes them. Pods pass the `restricted` Pod Security Standard.
// Pure. What the operator was told for all jobs is in PodSettings; everything else follows from the decision.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::control {

struct PodSettings {
  std::string image;                                             // of the trainer
  std::vector<std::pair<std::string, std::string>> environment;  // for every process, beside what it is launched with
};

nlohmann::json service_manifest(const JobSpec& spec);
nlohmann::json config_manifest(const JobSpec& spec);
nlohmann::json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process,
                            const PodSettings& settings);
nlohmann::json status_manifest(const std::string& name_space, const std::string& name, const std::string& version,
                               const JobStatus& status);

}  // namespace carrack::control
