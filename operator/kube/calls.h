// Builds every request that the operator sends to the API server: path, query and content type. Pure.
#pragma once

#include <string>

#include "operator/api_server/request.h"
#include "operator/kube/manifests.h"
#include "operator/kube/status_patch.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// The parts of NAMESPACE/NAME, the key by which a Loop knows a job.
struct JobKey {
  std::string name_space;
  std::string name;
};
JobKey job_key_of(const std::string& job);

// The name of the kind in paths, such as trainingjobs.
std::string_view plural_of(Kind kind);

// The labels of a request in metrics: a verb such as list or create, and a resource such as pods or
// trainingjobs/status. Every GET counts as list.
std::string verb_of(const ApiRequest& request);
std::string resource_of(const ApiRequest& request);

// In list_call(), watch_call() and newest_call() an empty `name_space` means all namespaces.

// Lists the objects of a kind: all jobs, or the objects of another kind with labels::job. A list comes in pages:
// `continued` is Listing::continued of the previous page, or empty for the first page.
ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continued);
// Watches the objects that list_call() lists, for changes after the version `after`. The server ends the watch after
// `lasting`.
ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting);

// Lists at most one object, to learn the current version of a list.
ApiRequest newest_call(Kind kind, const std::string& name_space);

// Lists the objects of one job by a quorum read. Labels prove nothing, so check the owner of each object (owner_of()).
ApiRequest list_of_job_call(Kind kind, const JobKey& job);

// Lists the metadata of the object with this name, whatever its labels are. The list is empty if it does not exist.
ApiRequest find_call(Kind kind, const std::string& name_space, const std::string& name);

// Changes the stored status of a job to `status`.
ApiRequest status_call(const JobKey& job, const StoredStatus& stored, const JobStatus& status);
// Writes an event about a job.
ApiRequest create_event_call(const JobKey& job, const nlohmann::json& event);
// Changes the event with this name by a JSON merge patch.
ApiRequest change_event_call(const JobKey& job, const std::string& name, const nlohmann::json& change);
// Carries out an action. Throws std::logic_error for CreateKey: see create_key_call().
ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings);
// Creates the NetworkPolicy of network_policy_manifest(). The reply contains only metadata.
ApiRequest create_network_policy_call(const JobKey& job, const JobSpec& spec, const std::string& operator_namespace);
// Creates the Secret with the job's key. The reply contains only metadata, not the key.
ApiRequest create_key_call(const JobKey& job, const JobSpec& spec, const std::string& key);

}  // namespace carrack::control
