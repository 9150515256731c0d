// Builds the manifests of the objects that the operator creates for a job. The job owns each of them, so that
// Kubernetes deletes them with it. Pods with the trainer's image pass the `restricted` Pod Security Standard. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::control {

// Options of the operator for the pods of all jobs.
struct PodSettings {
  std::string image;                                             // trainer image of new attempts
  std::vector<std::pair<std::string, std::string>> environment;  // for all processes, except with strategy Own
  // The namespace whose pods may read the progress of jobs: each job with a key gets a NetworkPolicy. Empty: no policy.
  std::string operator_namespace = {};
};

// The Service; the job must have one (service_name()).
nlohmann::json service_manifest(const JobSpec& spec);
// The label selector of the job's worker pods, as text.
std::string worker_selector(const JobSpec& spec);
// The ConfigMap with the configuration of the trainer.
nlohmann::json config_manifest(const JobSpec& spec);
// The Secret with the job's key; `key` may be any text.
nlohmann::json key_manifest(const JobSpec& spec, const std::string& key);
// The NetworkPolicy that allows only the job's pods to reach each other's member port, and only the pods of the
// operator's namespace to reach the progress port. It allows no other connection to the job's pods.
nlohmann::json network_policy_manifest(const JobSpec& spec, const std::string& operator_namespace);
// The pod of a process in the namespace `name_space`, with the template of the manifest merged over it. Fills in
// process.launch.addresses.
nlohmann::json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process,
                            const PodSettings& settings);

}  // namespace carrack::control
