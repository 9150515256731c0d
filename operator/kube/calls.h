// Builds the HTTP requests that the operator sends to the Kubernetes API server: method, path, query and body. Each
// function only returns the request; a Client (operator/api_server/client.h) sends it. Pure.
#pragma once

#include <string>

#include "operator/api_server/request.h"
#include "operator/kube/manifests.h"
#include "operator/kube/status_patch.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// The parts of NAMESPACE/NAME, by which a Loop identifies a job: job_key_of("team-a/digits") -> {"team-a", "digits"}.
struct JobKey {
  std::string name_space;
  std::string name;
};
JobKey job_key_of(const std::string& job);

// Returns the name of the kind in paths: trainingjobs, pods, services or configmaps.
std::string_view plural_of(Kind kind);

// Return the labels of a request in metrics: the verb, list, create, update, patch or delete, and the resource, such as
// pods or trainingjobs/status. Every GET, also that of a watch, counts as list.
std::string verb_of(const ApiRequest& request);
std::string resource_of(const ApiRequest& request);

// In list_call(), watch_call() and list_version_call() an empty `name_space` means all namespaces.

// Lists the objects of a kind: all jobs, or all objects of another kind that have the label labels::job. A list comes
// in pages: `continue_token` is Listing::continue_token of the previous page, or empty for the first page. Of Services
// and ConfigMaps this lists only the metadata.
ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continue_token);
// Watches the objects that list_call() lists, for changes after the resourceVersion `after`. The server ends the watch
// after the time `lasting`.
ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting);

// Lists at most one object. Call it for the resourceVersion of the list (Listing::version), which is the server's
// current version.
ApiRequest list_version_call(Kind kind, const std::string& name_space);

// Lists the objects of one job by a quorum read, so the reply is not stale. The job itself is found by its name,
// other objects by their label. Anybody may set that, so check the owner of each (owner_of()).
ApiRequest list_of_job_call(Kind kind, const JobKey& job);

// Lists the metadata of the object with this name, with or without labels. The list is empty if it does not exist.
ApiRequest find_call(Kind kind, const std::string& name_space, const std::string& name);

// Changes the stored status of a job to `status`. The server refuses it if the job has changed since `stored` was read.
ApiRequest status_call(const JobKey& job, const StoredStatus& stored, const JobStatus& status);
// Creates an Event about a job.
ApiRequest create_event_call(const JobKey& job, const nlohmann::json& event);
// Changes the Event with this name by a JSON merge patch.
ApiRequest change_event_call(const JobKey& job, const std::string& name, const nlohmann::json& change);
// Carries out an action (reconcile.h), such as the creation of a pod. Throws std::logic_error for CreateKey: see
// create_key_call().
ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings);
// Creates the NetworkPolicy of network_policy_manifest(). The reply contains only metadata.
ApiRequest create_network_policy_call(const JobKey& job, const JobSpec& spec, const std::string& operator_namespace);
// Lists the metadata of the NetworkPolicy that has the name of the job's, as find_call() does for other kinds.
ApiRequest find_network_policy_call(const JobKey& job, const JobSpec& spec);
// Creates the Secret with the job's key. The reply contains only metadata, not the key.
ApiRequest create_key_call(const JobKey& job, const JobSpec& spec, const std::string& key);

}  // namespace carrack::control
