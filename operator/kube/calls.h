// What we ask of the API server, as requests: every path, query and content type that we use is here. Pure.
#pragma once

#include <string>

#include "operator/api_server/request.h"
#include "operator/kube/manifests.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// namespace/name, as jobs are called in the loop.
struct JobKey {
  std::string name_space;
  std::string name;
};
JobKey job_key_of(const std::string& job);

std::string_view plural_of(Kind kind);  // trainingjobs

// What a request is counted as.
std::string verb_of(const ApiRequest& request);
std::string resource_of(const ApiRequest& request);

// Of one namespace; of all where it is empty. Objects of other owners are left out.
ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continued);
ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting);

// One object at most, with the version that the server is at.
ApiRequest newest_call(Kind kind, const std::string& name_space);

// The objects of one job, as they are now.
ApiRequest list_of_job_call(Kind kind, const JobKey& job);

ApiRequest put_status_call(const JobKey& job, Version read, const JobStatus& status);
ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings);

}  // namespace carrack::control
