// Builds the manifests, as JSON, of the Kubernetes objects that the operator creates for a job: pods, Service,
// ConfigMap, Secret and NetworkPolicy. Each has an owner reference to the TrainingJob, so Kubernetes deletes it with
// the job. Pods with the trainer's image pass the `restricted` Pod Security Standard, unless their template prevents
// that. calls.h builds the requests that send them. Pure.
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

// The Service by which members find the coordinator; headless and for all members with strategy Own. The job must have
// a Service: service_name() must not be empty.
nlohmann::json service_manifest(const JobSpec& spec);
// The label selector of the job's worker pods, as text: "carrack.dev/job-uid=UID,carrack.dev/role=worker".
std::string worker_selector(const JobSpec& spec);
// The ConfigMap with the configuration of the trainer.
nlohmann::json config_manifest(const JobSpec& spec);
// The Secret with the key by which the job's processes authenticate each other; `key` may be any text.
nlohmann::json key_manifest(const JobSpec& spec, const std::string& key);
// The NetworkPolicy that allows only these connections to the job's pods: those of the job's pods to the member port,
// and those of pods in the operator's namespace to the progress port. It does not restrict connections from the job's
// pods. It has the name of the job's Service.
nlohmann::json network_policy_manifest(const JobSpec& spec, const std::string& operator_namespace);
// The pod of a process in the namespace `name_space`, with the pod template of the TrainingJob merged over it. Does not
// use process.launch.addresses, but computes the addresses itself.
nlohmann::json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process,
                            const PodSettings& settings);

}  // namespace carrack::control
