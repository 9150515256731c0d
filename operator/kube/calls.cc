#include "operator/kube/calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "operator/api_server/client.h"
#include "operator/core/plan.h"
#include "operator/kube/names.h"

namespace carrack::control {
namespace {

using nlohmann::json;

// The number of objects in one page of a list. etcd stores objects of at most 1.5 MiB, so even a page of the largest
// objects is not longer than a reply may be.
constexpr int page_size = 40;
static_assert(page_size * (std::size_t{3} << 19) <= reply_bytes_max);

// What differs between the requests for objects of different kinds.
struct Resource {
  std::string_view api;
  std::string_view plural;
  bool are_all_ours = false;   // false: only objects with labels::job are the operator's
  bool metadata_only = false;  // true: requests leave out spec and status, as only existence and owner matter
};
constexpr std::array<Resource, kinds> resources = {{
    {.api = "/apis/carrack.dev/v1alpha1", .plural = "trainingjobs", .are_all_ours = true},  // Kind::job
    {.api = "/api/v1", .plural = "pods"},                                                   // Kind::process
    {.api = "/api/v1", .plural = "services", .metadata_only = true},                        // Kind::service
    {.api = "/api/v1", .plural = "configmaps", .metadata_only = true},                      // Kind::config
}};

const Resource& resource_for(Kind kind) {
  return resources[static_cast<std::size_t>(kind)];
}

std::string path_of(Kind kind, const std::string& name_space) {
  std::string path(resource_for(kind).api);
  if (!name_space.empty()) path += "/namespaces/" + name_space;
  return path + "/" + std::string(plural_of(kind));
}

std::string pod_path(const JobKey& job, const std::string& name) {
  return path_of(Kind::process, job.name_space) + "/" + name;
}

std::string network_policies_path(const JobKey& job) {
  return "/apis/networking.k8s.io/v1/namespaces/" + job.name_space + "/networkpolicies";
}

std::string events_path(const JobKey& job) {
  return "/apis/events.k8s.io/v1/namespaces/" + job.name_space + "/events";
}

std::string metadata_type(std::string_view list_suffix) {
  return "application/json;as=PartialObjectMetadata" + std::string(list_suffix) + ";g=meta.k8s.io;v=v1";
}

std::string accept_header(Kind kind, std::string_view list_suffix) {
  return resource_for(kind).metadata_only ? metadata_type(list_suffix) : "application/json";
}

void select_ours(ApiRequest& request, Kind kind) {
  if (!resource_for(kind).are_all_ours) request.query.emplace_back("labelSelector", std::string(labels::job));
}

ApiRequest list_of(Kind kind, const std::string& name_space, int limit) {
  ApiRequest request{.path = path_of(kind, name_space), .query = {{"limit", std::to_string(limit)}}};
  request.accept = accept_header(kind, "List");
  return request;
}

ApiRequest create(Kind kind, const JobKey& job, const json& object) {
  return {.method = "POST", .path = path_of(kind, job.name_space), .query = {}, .body = object.dump()};
}

ApiRequest find_by_name(std::string path, const std::string& name) {
  ApiRequest request{.path = std::move(path), .query = {{"fieldSelector", "metadata.name=" + name}}};
  request.accept = metadata_type("List");
  return request;
}

// Creates an object of which the operator may not see more than the metadata, so the request demands a reply with
// metadata only.
ApiRequest create_unread(std::string path, const json& object) {
  ApiRequest request{.method = "POST", .path = std::move(path), .query = {}, .body = object.dump()};
  request.accept = metadata_type("");
  return request;
}

ApiRequest change(const JobKey& job, const WithdrawProcess& process) {
  // A slash is ~1 in a JSON pointer. The `test` makes the patch fail with 422 if the label is gone already.
  std::string label(labels::serves);
  label.replace(label.find('/'), 1, "~1");
  const json patch = {{{"op", "test"}, {"path", "/metadata/labels/" + label}, {"value", "true"}},
                      {{"op", "remove"}, {"path", "/metadata/labels/" + label}}};
  return {.method = "PATCH",
          .path = pod_path(job, process.name),
          .query = {},
          .body = patch.dump(),
          .content_type = "application/json-patch+json"};
}

ApiRequest delete_call(Kind kind, const JobKey& job, const std::string& name) {
  return {.method = "DELETE", .path = path_of(kind, job.name_space) + "/" + name};
}

ApiRequest change(const JobKey& job, const DeleteService& service) {
  return delete_call(Kind::service, job, service.name);
}

ApiRequest change(const JobKey& job, const DeleteConfig& config) {
  return delete_call(Kind::config, job, config.name);
}

// The UID keeps a later job of the same name from being deleted.
ApiRequest delete_job_call(const JobKey& job, const std::string& uid) {
  ApiRequest request = delete_call(Kind::job, job, job.name);
  request.body = json{{"apiVersion", "v1"},
                      {"kind", "DeleteOptions"},
                      {"propagationPolicy", "Background"},
                      {"preconditions", {{"uid", uid}}}}
                     .dump();
  return request;
}

ApiRequest change(const JobKey& job, const DeleteProcess& process) {
  const json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", process.grace.count()}};
  return {.method = "DELETE", .path = pod_path(job, process.name), .query = {}, .body = options.dump()};
}

}  // namespace

std::string_view plural_of(Kind kind) {
  return resource_for(kind).plural;
}

std::string verb_of(const ApiRequest& request) {
  static const std::map<std::string, std::string> verbs = {
      {"GET", "list"}, {"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};
  const auto verb = verbs.find(request.method);
  return verb == verbs.end() ? request.method : verb->second;
}

std::string resource_of(const ApiRequest& request) {
  // Only the part after the namespace is searched, as the name of a namespace may be any word.
  const std::string below = "/namespaces/";
  std::size_t at = request.path.find(below);
  if (at != std::string::npos) at = request.path.find('/', at + below.size());
  if (at == std::string::npos) at = request.path.rfind('/');
  const std::string rest = request.path.substr(at + 1);
  const bool is_status = std::ranges::count(rest, '/') == 2 && rest.ends_with("/status");
  return rest.substr(0, rest.find('/')) + (is_status ? "/status" : "");
}

JobKey job_key_of(const std::string& job) {
  const std::size_t slash = job.find('/');
  return {job.substr(0, slash), job.substr(slash + 1)};
}

ApiRequest list_call(Kind kind, const std::string& name_space, const std::string& continue_token) {
  ApiRequest request = list_of(kind, name_space, page_size);
  if (!continue_token.empty()) request.query.emplace_back("continue", continue_token);
  select_ours(request, kind);
  return request;
}

ApiRequest list_version_call(Kind kind, const std::string& name_space) {
  return list_of(kind, name_space, 1);
}

ApiRequest watch_call(Kind kind, const std::string& name_space, Version after, std::chrono::seconds lasting) {
  ApiRequest request{.path = path_of(kind, name_space),
                     .query = {{"watch", "true"},
                               {"allowWatchBookmarks", "true"},
                               {"resourceVersion", std::to_string(after)},
                               {"timeoutSeconds", std::to_string(lasting.count())}}};
  request.accept = accept_header(kind, "");
  select_ours(request, kind);
  return request;
}

ApiRequest list_of_job_call(Kind kind, const JobKey& job) {
  ApiRequest request{.path = path_of(kind, job.name_space)};
  request.accept = accept_header(kind, "List");
  if (kind == Kind::job) {
    request.query.emplace_back("fieldSelector", "metadata.name=" + job.name);
  } else {
    request.query.emplace_back("labelSelector", std::string(labels::job) + "=" + job.name);
  }
  return request;
}

ApiRequest find_call(Kind kind, const std::string& name_space, const std::string& name) {
  return find_by_name(path_of(kind, name_space), name);
}

ApiRequest status_call(const JobKey& job, const StoredStatus& stored, const JobStatus& status) {
  return {.method = "PATCH",
          .path = path_of(Kind::job, job.name_space) + "/" + job.name + "/status",
          .query = {},
          .body = status_patch(stored, status).dump(),
          .content_type = "application/merge-patch+json"};
}

// Replaces bytes that are not UTF-8, because dump() would throw. An event may have such bytes, since it quotes texts of
// other programs.
ApiRequest create_event_call(const JobKey& job, const json& event) {
  return {.method = "POST",
          .path = events_path(job),
          .query = {},
          .body = event.dump(-1, ' ', false, json::error_handler_t::replace)};
}

ApiRequest change_event_call(const JobKey& job, const std::string& name, const json& change) {
  return {.method = "PATCH",
          .path = events_path(job) + "/" + name,
          .query = {},
          .body = change.dump(),
          .content_type = "application/merge-patch+json"};
}

ApiRequest create_key_call(const JobKey& job, const JobSpec& spec, const std::string& key) {
  return create_unread("/api/v1/namespaces/" + job.name_space + "/secrets", key_manifest(spec, key));
}

ApiRequest create_network_policy_call(const JobKey& job, const JobSpec& spec, const std::string& operator_namespace) {
  return create_unread(network_policies_path(job), network_policy_manifest(spec, operator_namespace));
}

ApiRequest find_network_policy_call(const JobKey& job, const JobSpec& spec) {
  return find_by_name(network_policies_path(job), service_name(spec));
}

ApiRequest action_call(const JobKey& job, const JobSpec& spec, const Action& action, const PodSettings& settings) {
  const auto call = [&](const auto& one) -> ApiRequest {
    using One = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<One, CreateService>) {
      return create(Kind::service, job, service_manifest(spec));
    } else if constexpr (std::is_same_v<One, CreateConfig>) {
      return create(Kind::config, job, config_manifest(spec));
    } else if constexpr (std::is_same_v<One, CreateKey>) {
      throw std::logic_error("a key is created by create_key_call");
    } else if constexpr (std::is_same_v<One, DeleteJob>) {
      return delete_job_call(job, spec.uid);
    } else if constexpr (std::is_same_v<One, CreateProcess>) {
      return create(Kind::process, job, pod_manifest(spec, job.name_space, one.process, settings));
    } else if constexpr (std::is_same_v<One, CheckProcess>) {
      ApiRequest request = create(Kind::process, job, pod_manifest(spec, job.name_space, one.process, settings));
      request.query = {{"dryRun", "All"}, {"fieldValidation", "Strict"}};
      return request;
    } else {
      return change(job, one);
    }
  };
  return std::visit(call, action);
}

}  // namespace carrack::control
