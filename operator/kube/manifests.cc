#include "operator/kube/manifests.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "operator/core/member_words.h"
#include "operator/core/own_environment.h"
#include "operator/core/resources.h"
#include "operator/kube/merge_template.h"
#include "operator/kube/names.h"
#include "trainer/launch/launch.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr int nobody = 65532;                                    // user and group, as in docker/trainer.Dockerfile
constexpr const char* termination_log = "/dev/termination-log";  // Kubernetes copies its content to the pod's status
constexpr const char* pod_address = "$(POD_IP):";  // Kubernetes replaces $(POD_IP) by the address of the pod

std::string string_of(std::string_view text) {
  return std::string(text);
}

json metadata(const JobSpec& spec, const std::string& name) {
  return {{"name", name},
          {"labels",
           {{string_of(managed_by_label), "carrack"},
            {string_of(labels::job), spec.name},
            {string_of(labels::job_uid), spec.uid}}},
          {"ownerReferences",
           {{{"apiVersion", "carrack.dev/v1alpha1"},
             {"kind", "TrainingJob"},
             {"name", spec.name},
             {"uid", spec.uid},
             {"controller", true},
             {"blockOwnerDeletion", true}}}}};
}

// Kubernetes expands $(NAME) in values of environment variables. To reach the program unchanged, each $ is written as
// $$.
std::string escape_expansion(const std::string& value) {
  std::string escaped;
  for (const char c : value) escaped += c == '$' ? "$$" : std::string(1, c);
  return escaped;
}

json variable(std::string_view name, const std::string& value) {
  return {{"name", name}, {"value", value}};
}

json environment(const train::Launch& launch, const PodSettings& settings) {
  json variables = {{{"name", pod_ip_variable}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}}};
  for (const auto& [name, value] : settings.environment) variables.push_back(variable(name, escape_expansion(value)));
  for (const auto& [name, value] : train::to_environment(launch)) {
    variables.push_back(variable(name, value.starts_with(pod_address) ? value : escape_expansion(value)));
  }
  variables.push_back(variable(train::config_variable, string_of(job_folder) + "/config"));
  variables.push_back(variable(train::health_variable, pod_address + std::to_string(health_port)));
  return variables;
}

json resources_json(const JobSpec& spec, train::Role role) {
  const Resources resources = resources_of(spec, role);
  return {{"requests", resources.requests}, {"limits", resources.limits}};
}

// Kubernetes deletes the pods of a lost node after this time; without a toleration it waits for 300 s.
json lost_node_toleration(std::string_view taint) {
  constexpr int seconds = 20;
  return {{"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", seconds}};
}

// A probe of /healthz, which passes unless the process is stopped or frozen.
json health_probe(int period_seconds, int timeout_seconds, int failures_max) {
  return {{"httpGet", {{"path", train::health_path}, {"port", health_port}}},
          {"periodSeconds", period_seconds},
          {"timeoutSeconds", timeout_seconds},
          {"failureThreshold", failures_max}};
}

// The pod becomes unready when its process has not answered for 9 to 12 s, and the operator then replaces it. With a
// liveness probe that would take longer: the node would wait for the whole grace period of the pod, since a stopped
// process does not react to SIGTERM.
json readiness_probe() {
  return health_probe(2, 3, 3);
}

// Delays the readiness probe until the first answer. Kubernetes ends a container whose startup probe fails too often.
// The number of failures is practically unlimited, because a trainer of an earlier release never answers.
json startup_probe() {
  return health_probe(1, 5, std::numeric_limits<std::int32_t>::max());
}

// The container of a member, with any strategy but Own. It has no image and no rights yet: either add_trainer_image()
// adds them, or the user's template.
json member_in_pod(const JobSpec& spec, const Process& process, const PodSettings& settings) {
  const train::Launch& launch = process.launch;
  return {{"name", trainer_container},
          {"env", environment(launch, settings)},
          {"ports",
           {{{"name", member_port_name}, {"containerPort", member_port}},
            {{"name", progress_port_name}, {"containerPort", progress_port}},
            {{"name", health_port_name}, {"containerPort", health_port}}}},
          {"startupProbe", startup_probe()},
          {"readinessProbe", readiness_probe()},
          {"resources", resources_json(spec, launch.member.role)},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"volumeMounts", {{{"name", job_volume}, {"mountPath", job_folder}, {"readOnly", true}}}}};
}

// The container of a member with strategy Own. Its image, command and rights come from the template.
json own_program_in_pod(const JobSpec& spec, const std::string& name_space, const Process& process) {
  const train::Launch& launch = process.launch;
  const std::string domain = "." + service_name(spec) + "." + name_space + ".svc";
  const auto find_address = [&](const train::Member& member) {
    return HostPort{member_name(member) + domain, own_port(spec, member.role)};
  };
  json variables = json::array();
  for (const auto& [name, value] : own_environment(spec, launch.member, launch.fence, find_address)) {
    variables.push_back(variable(name, escape_expansion(value)));
  }
  return {{"name", trainer_container},
          {"env", variables},
          {"resources", resources_json(spec, launch.member.role)},
          {"terminationMessagePolicy", "FallbackToLogsOnError"}};
}

json tolerations(const JobSpec& spec, train::Role role) {
  json tolerations = {lost_node_toleration("node.kubernetes.io/not-ready"),
                      lost_node_toleration("node.kubernetes.io/unreachable")};
  if (resources_of(spec, role).limits.contains(nvidia_gpu)) {
    tolerations.push_back({{"key", nvidia_gpu}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
  }
  return tolerations;
}

// The volume with the files `config` and `key`. Every user may read them, since root owns them and the container may
// run as any user. A group for volumes (fsGroup) is not used, because Kubernetes would then change the group of all
// files on the volumes of the template.
json job_files(const JobSpec& spec, const Process& process) {
  constexpr int for_all = 0444;
  const json config = {{"name", config_name(spec)}};
  if (process.key.empty()) return {{"name", job_volume}, {"configMap", config}};
  const auto source = [](const std::string& name, const std::string& file) {
    return json{{"name", name}, {"items", {{{"key", file}, {"path", file}}}}};
  };
  return {{"name", job_volume},
          {"projected",
           {{"defaultMode", for_all},
            {"sources",
             {{{"configMap", source(config_name(spec), "config")}}, {{"secret", source(process.key, "key")}}}}}}};
}

// Adds the image of the trainer, with the user and the rights that it needs.
void add_trainer_image(const Process& process, const PodSettings& settings, json& pod) {
  pod["securityContext"] = {{"runAsNonRoot", true},
                            {"runAsUser", nobody},
                            {"runAsGroup", nobody},
                            {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  json& container = pod["containers"][0];
  container["image"] = process.image.empty() ? settings.image : process.image;
  container["securityContext"] = {
      {"allowPrivilegeEscalation", false}, {"readOnlyRootFilesystem", true}, {"capabilities", {{"drop", {"ALL"}}}}};
}

void set_addresses(const JobSpec& spec, const std::string& name_space, Process& process) {
  const std::string port = std::to_string(member_port), service = service_name(spec);
  process.launch.addresses = {
      .coordinator = service.empty() ? "" : "dns:///" + service + "." + name_space + ".svc:" + port,
      .listen = pod_address + port,
      .key_folder = string_of(job_folder),
      .progress = process.in_service ? pod_address + std::to_string(progress_port) : "",
      .final_report = process.in_service ? termination_log : ""};
}

json pod_spec(const JobSpec& spec, const std::string& name_space, const Process& process, const PodSettings& settings) {
  const train::Member& member = process.launch.member;
  json pod = {{"restartPolicy", "Never"},
              {"automountServiceAccountToken", false},
              {"enableServiceLinks", false},
              {"terminationGracePeriodSeconds", spec.run.drain.count()},
              {"tolerations", tolerations(spec, member.role)}};
  if (spec.own) {
    pod["hostname"] = member_name(member);
    pod["subdomain"] = service_name(spec);
    pod["containers"] = {own_program_in_pod(spec, name_space, process)};
  } else {
    pod["containers"] = {member_in_pod(spec, process, settings)};
    pod["volumes"] = {job_files(spec, process)};
    if (runs_own_program(spec, member.role)) {
      // Image, command, user and rights come from the template.
      pod["containers"][0]["env"].push_back(variable("PYTHONUNBUFFERED", "1"));
    } else {
      add_trainer_image(process, settings, pod);
    }
  }
  return pod;
}

}  // namespace

json service_manifest(const JobSpec& spec) {
  json service = {{"selector", {{string_of(labels::job_uid), spec.uid}, {string_of(labels::serves), "true"}}},
                  {"publishNotReadyAddresses", true}};
  if (spec.own) {
    service["clusterIP"] = "None";
  } else {
    service["ports"] = {{{"name", "members"}, {"port", member_port}}};
  }
  return {
      {"apiVersion", "v1"}, {"kind", "Service"}, {"metadata", metadata(spec, service_name(spec))}, {"spec", service}};
}

std::string worker_selector(const JobSpec& spec) {
  return string_of(labels::job_uid) + "=" + spec.uid + "," + string_of(labels::role) + "=" +
         string_of(train::spelled(train::Role::worker));
}

// The field `key` has the job's UID. It is the key of processes without a Secret, in attempts that an older release
// began (Process::key).
json config_manifest(const JobSpec& spec) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", metadata(spec, config_name(spec))},
          {"immutable", true},
          {"data", {{"config", train::to_config_text(config_of_members(spec))}, {"key", spec.uid}}}};
}

json key_manifest(const JobSpec& spec, const std::string& key) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", metadata(spec, key_name(spec))},
          {"immutable", true},
          {"stringData", {{"key", key}}}};
}

json network_policy_manifest(const JobSpec& spec, const std::string& operator_namespace) {
  const json pods = {{"matchLabels", {{string_of(labels::job_uid), spec.uid}}}};
  const json operators = {{"matchLabels", {{"kubernetes.io/metadata.name", operator_namespace}}}};
  const json members = {{"from", json::array({{{"podSelector", pods}}})},
                        {"ports", json::array({{{"port", member_port}}})}};
  const json readers = {{"from", json::array({{{"namespaceSelector", operators}}})},
                        {"ports", json::array({{{"port", progress_port}}})}};
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "NetworkPolicy"},
          {"metadata", metadata(spec, service_name(spec))},
          {"spec", {{"podSelector", pods}, {"policyTypes", {"Ingress"}}, {"ingress", {members, readers}}}}};
}

json pod_manifest(const JobSpec& spec, const std::string& name_space, Process process, const PodSettings& settings) {
  if (!spec.own) set_addresses(spec, name_space, process);
  const train::Launch& launch = process.launch;
  json meta = metadata(spec, process.name);
  json& own = meta["labels"];
  own[string_of(labels::role)] = train::spelled(launch.member.role);
  own[string_of(labels::index)] = std::to_string(launch.member.index);
  own[string_of(labels::attempt)] = std::to_string(launch.fence.attempt);
  own[string_of(labels::incarnation)] = std::to_string(launch.fence.incarnation);
  if (process.in_service) own[string_of(labels::serves)] = "true";
  meta["annotations"] = {{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}};
  json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", meta},
              {"spec", pod_spec(spec, name_space, process, settings)}};
  const std::optional<Node>& pod_template = pod_options(spec, launch.member.role).pod_template;
  if (pod_template) merge_template(json::parse(to_json(*pod_template)), pod);
  return pod;
}

}  // namespace carrack::control
