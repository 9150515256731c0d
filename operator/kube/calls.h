// Builds every request that the operator sends to the API server: path, query and content type. Pure.
#pragma once

#include <string>

#include "operator/api_server/request.h"
#include "operator/kube/manifests.h"
#include "operator/kube/status_patch.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// The parts of a key namespace/name, by which the loop knows jobs.
struct JobKey {
  std::string name_space;
  std::string name;
};
JobKey job_key_of(const std::string& job);

std::string_view plural_of(Kind kind);  // such as trainingjobs

// The labels of a request in metrics: a verb such as list or create, and a resource such as pods or
// trainingjobs/status.
std::string verb_of(const ApiRequest& request);
std::string resource_of(const ApiRequest& request);

// Lists the objects of a kind in a namespace, or in all namespaces if `name_space` is empty; except for jobs, only
// objects with labels::job. A list comes in pages: `continued` is Listing::continued of the page before, empty for the
// first.
ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continued);
// Watches the same objects, for changes after the version `after`.
ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting);

// Lists at most one object: to learn the current version of a list.
ApiRequest newest_call(Kind kind, const std::string& name_space);

// Lists the objects of one job, read by quorum.
ApiRequest list_of_job_call(Kind kind, const JobKey& job);

// Lists the metadata of the object with this name, whatever its labels are.
ApiRequest find_call(Kind kind, const std::string& name_space, const std::string& name);

// Changes the stored status of a job to `status`.
ApiRequest status_call(const JobKey& job, const StoredStatus& stored, const JobStatus& status);
// The first writes an event about a job; the second changes the event with this name.
ApiRequest create_event_call(const JobKey& job, const nlohmann::json& event);
ApiRequest change_event_call(const JobKey& job, const std::string& name, const nlohmann::json& change);
// The request of any action except CreateKey, for which it throws std::logic_error.
ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings);
// Creates the NetworkPolicy that keeps others from the ports of the job's pods. The reply contains only metadata.
ApiRequest create_network_policy_call(const JobKey& job, const JobSpec& spec, const std::string& operator_namespace);
// Creates the Secret with the job's key. The reply contains only metadata, not the key.
ApiRequest create_key_call(const JobKey& job, const JobSpec& spec, const std::string& key);

}  // namespace carrack::control
