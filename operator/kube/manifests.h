// The manifests of the objects that the operator creates for a job. Pods of the trainer's image pass the `restricted`
// Pod Security Standard. Pure: everything follows from the decision and from PodSettings, the operator's options for
// all jobs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::control {

struct PodSettings {
  std::string image;                                             // the trainer image of new attempts
  std::vector<std::pair<std::string, std::string>> environment;  // added to every process's own
  // The namespace whose pods may read the progress of jobs. If it is not empty, each job has a NetworkPolicy.
  std::string operator_namespace = {};
};

nlohmann::json service_manifest(const JobSpec& spec);
// The job's pods of workers, as a label selector.
std::string worker_selector(const JobSpec& spec);
nlohmann::json config_manifest(const JobSpec& spec);
// `key` is any text.
nlohmann::json key_manifest(const JobSpec& spec, const std::string& key);
// Lets the job's pods reach each other, and the pods of that namespace read its progress.
nlohmann::json network_policy_manifest(const JobSpec& spec, const std::string& operator_namespace);
nlohmann::json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process,
                            const PodSettings& settings);

}  // namespace carrack::control
