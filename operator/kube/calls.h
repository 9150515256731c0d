// Every request that the operator makes of the API server: paths, queries and content types. Pure.
#pragma once

#include <string>

#include "operator/api_server/request.h"
#include "operator/kube/manifests.h"
#include "operator/kube/status_patch.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// The parts of a job's key in the loop, namespace/name.
struct JobKey {
  std::string name_space;
  std::string name;
};
JobKey job_key_of(const std::string& job);

std::string_view plural_of(Kind kind);  // trainingjobs

// The labels of a request in the metrics: list, create, ... and pods, trainingjobs/status, ...
std::string verb_of(const ApiRequest& request);
std::string resource_of(const ApiRequest& request);

// All objects of a kind in a namespace, or in all if it is empty; except for jobs, only those with our label. A list
// comes in pages: `continued` is the token of the page before, empty for the first.
ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continued);
ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting);

// At most one object, with the current version of the list.
ApiRequest newest_call(Kind kind, const std::string& name_space);

// The objects of one job, read by quorum.
ApiRequest list_of_job_call(Kind kind, const JobKey& job);

// The metadata of the object with that name, as a list, whatever its labels.
ApiRequest find_call(Kind kind, const std::string& name_space, const std::string& name);

ApiRequest status_call(const JobKey& job, const StoredStatus& stored, const JobStatus& status);
// Writes an event about a job, and changes the one that was written under that name.
ApiRequest create_event_call(const JobKey& job, const nlohmann::json& event);
ApiRequest change_event_call(const JobKey& job, const std::string& name, const nlohmann::json& change);
// Of any action but a CreateKey.
ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings);
// Creates what keeps others from the ports of the job's pods, which no reply contains either.
ApiRequest create_network_policy_call(const JobKey& job, const JobSpec& spec, const std::string& operator_namespace);
// Creates the job's key. The reply does not contain it.
ApiRequest create_key_call(const JobKey& job, const JobSpec& spec, const std::string& key);

}  // namespace carrack::control
