#include "operator/kube/objects.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <nlohmann/json.hpp>

#include "operator/codec/fields.h"
#include "operator/codec/job.h"
#include "operator/core/exit_words.h"
#include "operator/core/printable.h"
#include "operator/kube/json_path.h"
#include "operator/kube/names.h"
#include "operator/runtime/progress_reader.h"
#include "trainer/launch/log_line.h"
#include "trainer/launch/member.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr int depth_max = 64;
constexpr int exit_code_of_sigkill = signal_exit_base + SIGKILL;

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string label(const json& object, std::string_view name) {
  return text_at(object, {"metadata", "labels", name});
}

std::string job_key(const json& object, const std::string& name) {
  return text_at(object, {"metadata", "namespace"}) + "/" + name;
}

std::optional<train::Member> member_of(const json& pod) {
  const std::string role = label(pod, labels::role);
  const std::optional<int> index = number_in(label(pod, labels::index));
  for (const auto& spelling : train::spellings<train::Role>) {
    if (spelling.text == role && index) return train::Member{spelling.value, *index};
  }
  return std::nullopt;
}

// The first entry of pod.status[statuses] for which `test` is true; null if there is none. Refers into `pod`.
template <class Test>
const json& container_where(const json& pod, std::string_view statuses, Test test) {
  static const json none;
  const json& containers = json_at(pod, {"status", statuses});
  if (!containers.is_array()) return none;
  const auto found = std::find_if(containers.begin(), containers.end(), test);
  return found == containers.end() ? none : *found;
}

// The status of the trainer's container. There may be others, such as sidecars that were injected.
const json& trainer_status(const json& pod) {
  return container_where(pod, "containerStatuses",
                         [](const json& one) { return text_at(one, {"name"}) == trainer_container; });
}

const json* condition(const json& pod, std::string_view type) {
  const json& conditions = json_at(pod, {"status", "conditions"});
  if (!conditions.is_array()) return nullptr;
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const json& one) { return text_at(one, {"type"}) == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool condition_is(const json& pod, std::string_view type, std::string_view status) {
  const json* found = condition(pod, type);
  return found && text_at(*found, {"status"}) == status;
}

// Returns "REASON: MESSAGE", or only one of the two if the other is empty. Both may be any text.
std::string join_reason(const std::string& reason, const std::string& message) {
  return reason + (reason.empty() || message.empty() ? "" : ": ") + message;
}

// The scheduler gives the same reason for all waits, so a wait for a volume is recognized by its message.
Wait wait_for_node(const std::string& message) {
  const bool is_about_volumes = message.find("ersistentvolumeclaim") != message.npos ||
                                message.find("PersistentVolumeClaim") != message.npos ||
                                message.find("volume node affinity") != message.npos;
  return is_about_volumes ? Wait::volume_unavailable : Wait::unschedulable;
}

// The wait of a container by its reason. Reasons that are not about images mean that the node cannot run it.
Wait wait_on_node(const std::string& reason) {
  constexpr std::string_view of_images[] = {
      "ErrImagePull",      "ImagePullBackOff",    "ErrImageNeverPull",        "InvalidImageName",
      "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"};
  if (reason.empty()) return Wait::starting;
  return std::ranges::find(of_images, reason) == std::end(of_images) ? Wait::node_refused : Wait::image_unavailable;
}

// True if a container with this reason waits only for a moment, or does not wait.
bool is_usual(const std::string& reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

// Sets why the pod does not run yet, in the words of the scheduler or the node.
void read_wait(const json& pod, ObservedProcess& process) {
  if (condition_is(pod, "PodScheduled", "False")) {
    process.message = printable_joined(text_at(*condition(pod, "PodScheduled"), {"message"}));
    process.wait = wait_for_node(process.message);
    return;
  }
  const json& init = container_where(pod, "initContainerStatuses", [](const json& one) {
    return !is_usual(text_at(one, {"state", "waiting", "reason"}));
  });
  const json& waiting = json_at(init.is_object() ? init : trainer_status(pod), {"state", "waiting"});
  const std::string reason = text_at(waiting, {"reason"});
  if (is_usual(reason)) return;
  process.message = printable_joined(join_reason(reason, text_at(waiting, {"message"})));
  process.wait = wait_on_node(reason);
}

// The owner reference of the controller; nullptr if there is none.
const json* controller(const json& object) {
  const json& owners = json_at(object, {"metadata", "ownerReferences"});
  if (!owners.is_array()) return nullptr;
  const auto found =
      std::find_if(owners.begin(), owners.end(), [](const json& one) { return json_at(one, {"controller"}) == true; });
  return found == owners.end() ? nullptr : &*found;
}

// Returns the message that the container left at its end. If it begins with the leader's final report, the report goes
// into `process` and is left out of the message.
std::string message_of(const json& pod, const json& terminated, ObservedProcess& process) {
  LastWords last = parse_last_words(text_at(terminated, {"message"}), {owner_of(pod), process.fence, ""});
  process.final_report = std::move(last.report);
  return train::without_log_lines(last.words);
}

// True if a container other than the trainer has not ended. Native sidecars do not count: they are init containers,
// which the node ends itself.
bool has_sidecar_running(const json& pod) {
  return container_where(
             pod, "containerStatuses",
             [](const json& one) {
               return text_at(one, {"name"}) != trainer_container && !json_at(one, {"state", "terminated"}).is_object();
             })
      .is_object();
}

// True if this init container is a native sidecar. Its node starts it again if it fails, and ends it together with the
// pod, so its exit code does not say why the pod has failed.
bool is_native_sidecar(const json& pod, const std::string& name) {
  const json& containers = json_at(pod, {"spec", "initContainers"});
  return containers.is_array() && std::ranges::any_of(containers, [&](const json& one) {
           return text_at(one, {"name"}) == name && text_at(one, {"restartPolicy"}) == "Always";
         });
}

// Says how an init container has failed, so that the trainer was not started; empty if none has failed.
std::string init_failure(const json& pod) {
  const json& failed = container_where(pod, "initContainerStatuses", [&](const json& one) {
    return integer_at(one, {"state", "terminated", "exitCode"}) != 0 && !is_native_sidecar(pod, text_at(one, {"name"}));
  });
  if (!failed.is_object()) return "";
  return "init container " + text_at(failed, {"name"}) + " ended with exit code " +
         std::to_string(integer_at(failed, {"state", "terminated", "exitCode"}));
}

void read_end(const json& pod, const json& terminated, ObservedProcess& process) {
  process.state = ProcessState::exited;
  process.started_at = parse_time(text_at(terminated, {"startedAt"}));
  process.ended_at = parse_time(text_at(terminated, {"finishedAt"}));
  if (!terminated.is_object()) {  // The node reports no end of the trainer, so it counts as killed.
    process.exit_code = exit_code_of_sigkill;
    // If the last known state of the trainer is running, it did run, and its node is lost. Otherwise it never ran.
    const json& running = json_at(trainer_status(pod), {"state", "running"});
    process.never_ran = !running.is_object();
    process.started_at = parse_time(text_at(running, {"startedAt"}));
    const std::string of_pod = join_reason(text_at(pod, {"status", "reason"}), text_at(pod, {"status", "message"}));
    const std::string of_init = init_failure(pod);
    process.init_failed = !of_init.empty();
    process.message = printable_joined(join_reason(of_init, of_pod));
    return;
  }
  process.holds_node = has_sidecar_running(pod);
  process.exit_code = static_cast<int>(integer_at(terminated, {"exitCode"}));
  const std::string message = message_of(pod, terminated, process);
  const std::string reason = text_at(terminated, {"reason"});
  const bool adds_nothing = reason == "Error" || reason == "Completed";
  process.message = printable_joined(adds_nothing ? message : join_reason(reason, message));
}

// True if the trainer has the readiness probe of this release. A template may remove it, and the user's own program may
// have another probe, which means something else.
bool has_health_probe(const json& pod) {
  const json& containers = json_at(pod, {"spec", "containers"});
  return containers.is_array() && std::ranges::any_of(containers, [](const json& one) {
           const json& get = json_at(one, {"readinessProbe", "httpGet"});
           return text_at(one, {"name"}) == trainer_container && text_at(get, {"path"}) == train::health_path &&
                  integer_at(get, {"port"}) == health_port;
         });
}

// Returns the time since which a running trainer has not answered its node; nullopt if it answers or has never
// answered. Only the node writes these fields, so on a lost node they do not change. If the pod became unready before
// the trainer started, the trainer has never answered.
std::optional<Time> silence(const json& pod, const ObservedProcess& process) {
  const json& trainer = trainer_status(pod);
  const bool answers = json_at(trainer, {"started"}) != true || json_at(trainer, {"ready"}) != false;
  if (answers || !has_health_probe(pod) || !condition_is(pod, "ContainersReady", "False")) return std::nullopt;
  const auto since = parse_time(text_at(*condition(pod, "ContainersReady"), {"lastTransitionTime"}));
  return since && process.started_at && *since > *process.started_at ? since : std::nullopt;
}

void read_state(const json& pod, ObservedProcess& process) {
  const std::string phase = text_at(pod, {"status", "phase"});
  const json& state = json_at(trainer_status(pod), {"state"});
  const json& terminated = json_at(state, {"terminated"});
  if (terminated.is_object() || phase == "Succeeded" || phase == "Failed") return read_end(pod, terminated, process);
  if (json_at(state, {"running"}).is_object()) {
    process.state = ProcessState::running;
    process.started_at = parse_time(text_at(state, {"running", "startedAt"}));
    process.silent_since = silence(pod, process);
    if (process.silent_since) process.message = "its " + std::string(train::health_path) + " did not answer";
  } else {
    read_wait(pod, process);
  }
}

std::optional<EndCause> cause_in(const json& pod) {
  if (text_at(trainer_status(pod), {"state", "terminated", "reason"}) == "OOMKilled") return EndCause::out_of_memory;
  const std::string node_says = text_at(pod, {"status", "reason"});
  if (node_says == "Evicted") return EndCause::evicted;
  if (node_says == "Preempting") return EndCause::preempted;
  if (node_says == "NodeLost" || node_says == "NodeShutdown" || node_says == "Terminated") return EndCause::node_lost;
  if (!condition_is(pod, "DisruptionTarget", "True")) return std::nullopt;
  const std::string reason = text_at(*condition(pod, "DisruptionTarget"), {"reason"});
  if (reason == "PreemptionByScheduler") return EndCause::preempted;
  return reason == "DeletionByTaintManager" || reason == "DeletionByPodGC" ? EndCause::node_lost : EndCause::evicted;
}

// Pods with a key have ConfigMap and Secret in one projected volume; pods without a key have a plain ConfigMap volume.
bool is_without_key(const json& pod) {
  const json& volumes = json_at(pod, {"spec", "volumes"});
  return volumes.is_array() && std::ranges::any_of(volumes, [](const json& volume) {
           return text_at(volume, {"name"}) == job_volume && json_at(volume, {"configMap"}).is_object();
         });
}

std::string progress_address_of(const json& pod) {
  const std::string address = text_at(pod, {"status", "podIP"});
  if (address.empty()) return "";
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(progress_port);
}

}  // namespace

std::optional<WatchedObject<JobObject>> read_job(const json& object) {
  const std::string name = text_at(object, {"metadata", "name"});
  if (name.empty()) return std::nullopt;
  DecodedJob decoded = decode_stored_job(object.dump(-1, ' ', false, json::error_handler_t::replace));
  fill_in_folder(decoded.spec);
  return WatchedObject<JobObject>{
      job_key(object, name),
      name,
      version_of(object),
      {std::move(decoded.spec), std::move(decoded.status), !text_at(object, {"metadata", "deletionTimestamp"}).empty(),
       std::move(decoded.problems), std::move(decoded.newer_conditions)}};
}

std::optional<WatchedObject<PodObject>> read_pod(const json& pod) {
  const std::string job = label(pod, labels::job);
  const std::optional<train::Member> member = member_of(pod);
  const std::optional<int> attempt = number_in(label(pod, labels::attempt));
  const std::optional<int> incarnation = number_in(label(pod, labels::incarnation));
  if (job.empty() || !member || !attempt || !incarnation) return std::nullopt;
  WatchedObject<PodObject> seen{job_key(pod, job), text_at(pod, {"metadata", "name"}), version_of(pod), {}};
  ObservedProcess& process = seen.value.process;
  process.name = seen.name;
  process.member = *member;
  process.fence = {*attempt, *incarnation};
  process.terminating = !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
  process.disrupted = condition_is(pod, "DisruptionTarget", "True");
  process.cause = cause_in(pod);
  process.without_key = is_without_key(pod);
  process.in_service = label(pod, labels::serves) == "true";
  process.node = printable(text_at(pod, {"spec", "nodeName"}));
  read_state(pod, process);
  seen.value.job_uid = owner_of(pod);
  seen.value.progress_address = progress_address_of(pod);
  return seen;
}

std::optional<WatchedObject<SharedObject>> read_shared_object(const json& object) {
  const std::string job = label(object, labels::job);
  if (job.empty()) return std::nullopt;
  return WatchedObject<SharedObject>{
      job_key(object, job), text_at(object, {"metadata", "name"}), version_of(object), {owner_of(object)}};
}

std::string owner_of(const json& object) {
  const json* owner = controller(object);
  return owner && text_at(*owner, {"kind"}) == "TrainingJob" ? text_at(*owner, {"uid"}) : "";
}

std::string controller_of(const json& object) {
  const json* owner = controller(object);
  return owner ? text_at(*owner, {"kind"}) + " " + text_at(*owner, {"name"}) : "";
}

std::string object_key(const json& object) {
  return text_at(object, {"metadata", "namespace"}) + "/" + text_at(object, {"metadata", "name"});
}

Version version_of(const json& object) {
  const std::string text = text_at(object, {"metadata", "resourceVersion"});
  Version version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

json parse_object(std::string_view text) {
  const json::parser_callback_t keep = [](int depth, json::parse_event_t event, json& value) {
    if (depth > depth_max) return false;
    return event != json::parse_event_t::key || value != "managedFields";
  };
  return json::parse(text, keep, /*allow_exceptions=*/false);
}

}  // namespace carrack::control
