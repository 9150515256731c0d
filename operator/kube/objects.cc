#include "operator/kube/objects.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "operator/kube/json_path.h"
#include "operator/kube/names.h"
#include "trainer/launch/log_line.h"
#include "trainer/launch/member.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr int deepest = 64;
constexpr int killed = 128 + 9;

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

const json& trainer_status(const json& pod) {
  static const json none;
  const json& containers = json_at(pod, {"status", "containerStatuses"});
  if (!containers.is_array()) return none;
  // Others may have been put beside it.
  const auto found = std::find_if(containers.begin(), containers.end(),
                                  [](const json& one) { return text_at(one, {"name"}) == trainer_container; });
  return found == containers.end() ? none : *found;
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

std::string joined(const std::string& reason, const std::string& message) {
  return reason + (reason.empty() || message.empty() ? "" : ": ") + message;
}

// What keeps it from running, in the scheduler's or the node's words.
std::string wait_of(const json& pod) {
  if (condition_is(pod, "PodScheduled", "False")) return text_at(*condition(pod, "PodScheduled"), {"message"});
  const json& waiting = json_at(trainer_status(pod), {"state", "waiting"});
  const std::string reason = text_at(waiting, {"reason"});
  if (reason == "ContainerCreating" || reason == "PodInitializing") return "";
  return joined(reason, text_at(waiting, {"message"}));
}

// The UID of the job that it goes with, as the garbage collector has it: labels alone may have been copied.
std::string owner_of(const json& object) {
  const json& owners = json_at(object, {"metadata", "ownerReferences"});
  if (!owners.is_array()) return "";
  const auto found = std::find_if(owners.begin(), owners.end(), [](const json& one) {
    return text_at(one, {"kind"}) == "TrainingJob" && json_at(one, {"controller"}) == true;
  });
  return found == owners.end() ? "" : text_at(*found, {"uid"});
}

void read_end(const json& pod, const json& terminated, ObservedProcess& shown) {
  shown.state = ProcessState::exited;
  if (!terminated.is_object()) {  // It never ran: a node refused it, or it was evicted before.
    shown.exit_code = killed;
    shown.message = joined(text_at(pod, {"status", "reason"}), text_at(pod, {"status", "message"}));
    return;
  }
  shown.exit_code = static_cast<int>(whole_at(terminated, {"exitCode"}));
  shown.message = train::without_log_lines(text_at(terminated, {"message"}));
  const std::string reason = text_at(terminated, {"reason"});
  const bool says_nothing_new = reason == "Error" || reason == "Completed";
  if (!says_nothing_new) shown.message = joined(reason, shown.message);
}

void read_state(const json& pod, ObservedProcess& shown) {
  const std::string phase = text_at(pod, {"status", "phase"});
  const json& state = json_at(trainer_status(pod), {"state"});
  const json& terminated = json_at(state, {"terminated"});
  if (terminated.is_object() || phase == "Succeeded" || phase == "Failed") return read_end(pod, terminated, shown);
  if (json_at(state, {"running"}).is_object()) {
    shown.state = ProcessState::running;
  } else {
    shown.message = wait_of(pod);
  }
}

std::string progress_address(const json& pod) {
  const std::string address = text_at(pod, {"status", "podIP"});
  if (address.empty()) return "";
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(progress_port);
}

}  // namespace

std::optional<Seen<SeenJob>> job_seen(const json& object) {
  const std::string name = text_at(object, {"metadata", "name"});
  if (name.empty()) return std::nullopt;
  DecodedJob decoded = decode_job(object.dump(-1, ' ', false, json::error_handler_t::replace));
  return Seen<SeenJob>{job_key(object, name),
                       name,
                       version_of(object),
                       {std::move(decoded.spec), std::move(decoded.status),
                        !text_at(object, {"metadata", "deletionTimestamp"}).empty(), std::move(decoded.problems)}};
}

std::optional<Seen<SeenProcess>> process_seen(const json& pod) {
  const std::string job = label(pod, labels::job);
  const std::optional<train::Member> member = member_of(pod);
  const std::optional<int> attempt = number_in(label(pod, labels::attempt));
  const std::optional<int> incarnation = number_in(label(pod, labels::incarnation));
  if (job.empty() || !member || !attempt || !incarnation) return std::nullopt;
  Seen<SeenProcess> seen{job_key(pod, job), text_at(pod, {"metadata", "name"}), version_of(pod), {}};
  ObservedProcess& shown = seen.value.shown;
  shown.name = seen.name;
  shown.member = *member;
  shown.fence = {*attempt, *incarnation};
  shown.terminating = !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
  shown.disrupted = condition_is(pod, "DisruptionTarget", "True");
  shown.in_service = label(pod, labels::serves) == "true";
  read_state(pod, shown);
  seen.value.job_uid = owner_of(pod);
  seen.value.progress = progress_address(pod);
  return seen;
}

std::optional<Seen<SeenShared>> shared_seen(const json& object) {
  const std::string job = label(object, labels::job);
  if (job.empty()) return std::nullopt;
  return Seen<SeenShared>{job_key(object, job), text_at(object, {"metadata", "name"}), version_of(object), {}};
}

std::string key_of(const json& object) {
  return text_at(object, {"metadata", "namespace"}) + "/" + text_at(object, {"metadata", "name"});
}

Version version_of(const json& object) {
  const std::string text = text_at(object, {"metadata", "resourceVersion"});
  Version version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

json parsed(std::string_view text) {
  const json::parser_callback_t keep = [](int depth, json::parse_event_t event, json& value) {
    if (depth > deepest) return false;
    return event != json::parse_event_t::key || value != "managedFields";
  };
  return json::parse(text, keep, /*allow_exceptions=*/false);
}

}  // namespace carrack::control
