// Builds the manifests of the objects that the operator creates for a job. Pods with the trainer's image pass the
// `restricted` Pod Security Standard. Pure: the only options besides the decision are PodSettings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::control {

struct PodSettings {
  std::string image;                                             // trainer image of new attempts
  std::vector<std::pair<std::string, std::string>> environment;  // for all processes of the trainer's jobs
  // The namespace whose pods may read the progress of jobs. If set, each job with a key gets a NetworkPolicy.
  std::string operator_namespace = {};
};

nlohmann::json service_manifest(const JobSpec& spec);
// The label selector of the job's worker pods, as text.
std::string worker_selector(const JobSpec& spec);
nlohmann::json config_manifest(const JobSpec& spec);
// The Secret with the job's key; `key` may be any text.
nlohmann::json key_manifest(const JobSpec& spec, const std::string& key);
// Lets only the job's pods reach each other's member port, and only the pods of that namespace read the progress.
nlohmann::json network_policy_manifest(const JobSpec& spec, const std::string& operator_namespace);
// The pod of a process, with the template of the manifest merged over it. Fills in the addresses of `process`.
nlohmann::json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process,
                            const PodSettings& settings);

}  // namespace carrack::control
