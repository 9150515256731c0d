// Decodes and encodes `status` of a TrainingJob, for codec/job.cc. spec_fields.h explains such lists of fields, and
// docs/reference/trainingjob.md their meaning.
#pragma once

#include "operator/codec/fields.h"
#include "operator/core/job_status.h"

namespace carrack::train {

template <>
inline constexpr Spelling<control::ConditionType> spellings<control::ConditionType>[] = {
    {control::ConditionType::created, "Created"},       {control::ConditionType::running, "Running"},
    {control::ConditionType::restarting, "Restarting"}, {control::ConditionType::stalled, "Stalled"},
    {control::ConditionType::suspended, "Suspended"},   {control::ConditionType::succeeded, "Succeeded"},
    {control::ConditionType::failed, "Failed"},         {control::ConditionType::finished, "Finished"}};

}  // namespace carrack::train

namespace carrack::control {

// The `status` of a condition, which Kubernetes writes as text.
enum class Truth { no, yes };

}  // namespace carrack::control

namespace carrack::train {

template <>
inline constexpr Spelling<control::Truth> spellings<control::Truth>[] = {{control::Truth::no, "False"},
                                                                         {control::Truth::yes, "True"}};

}  // namespace carrack::train

namespace carrack::control {

template <class Fields>
void fields_of(Fields& fields, Condition& condition) {
  Truth holds = condition.holds ? Truth::yes : Truth::no;
  fields.required("type", condition.type);
  fields.required("status", holds);
  condition.holds = holds == Truth::yes;
  fields.required("reason", condition.reason);
  fields.optional("message", condition.message);
  fields.required("lastTransitionTime", condition.since);
  fields.optional("observedGeneration", condition.observed_generation);
}

// True if the type of a condition is text, but not a ConditionType of this release: a newer release wrote it.
inline bool is_of_newer_type(const Node& condition) {
  const Node* type = child(condition, "type");
  const auto* text = type ? std::get_if<std::string>(&type->value) : nullptr;
  const auto& known = train::spellings<ConditionType>;
  return text && std::none_of(std::begin(known), std::end(known), [&](const auto& one) { return one.text == *text; });
}

inline void read(const Node& node, const FieldPath& path, std::vector<Condition>& conditions) {
  const auto* list = std::get_if<Node::List>(&node.value);
  if (!list) return path.report(node, "is " + std::string(describe_type(node)) + "; must be a list");
  conditions.clear();
  for (std::size_t at = 0; at < list->size(); ++at) {
    if (path.ignores_unknown && is_of_newer_type((*list)[at])) continue;
    read((*list)[at], path.at(at), conditions.emplace_back());
  }
}

template <class Fields>
void fields_of(Fields& fields, MemberStatus& member) {
  fields.required("incarnation", member.incarnation);
  fields.required("ended", member.ended);
  if (Fields::reads || member.done) fields.optional("done", member.done);
  if (Fields::reads || member.failures != 0) fields.optional("failures", member.failures);
  if (Fields::reads || member.disruptions != 0) fields.optional("disruptions", member.disruptions);
  if (Fields::reads || member.not_before != Time{}) fields.optional("notBefore", member.not_before);
  fields.optional("reportedHung", member.reported_hung);
}

template <class Fields>
void fields_of(Fields& fields, ReplicaStatus& replicas) {
  fields.required("desired", replicas.desired);
  fields.optional("pending", replicas.pending);
  fields.optional("running", replicas.running);
  if (Fields::reads || replicas.succeeded != 0) fields.optional("succeeded", replicas.succeeded);
  if (Fields::reads || replicas.failed != 0) fields.optional("failed", replicas.failed);
}

template <class Fields>
void fields_of(Fields& fields, Progress& progress) {
  fields.required("step", progress.step);
  fields.optional("steps", progress.steps);
  fields.optional("loss", progress.loss);
  fields.optional("inputWait", progress.input_wait);
}

template <class Fields>
void fields_of(Fields& fields, LastCheckpoint& checkpoint) {
  fields.required("step", checkpoint.step);
  fields.optional("name", checkpoint.name);
  if (!Fields::reads && checkpoint.skipped_records == 0) return;
  fields.optional("skippedRecords", checkpoint.skipped_records);
  fields.optional("firstSkipped", checkpoint.first_skipped);
}

template <class Fields>
void fields_of(Fields& fields, EvaluationStatus& evaluation) {
  fields.required("step", evaluation.step);
  fields.optional("loss", evaluation.loss);
  fields.optional("accuracy", evaluation.accuracy);
  fields.optional("areaUnderCurve", evaluation.area_under_curve);
  fields.optional("meanAbsoluteError", evaluation.mean_absolute_error);
  fields.optional("meanSquaredError", evaluation.mean_squared_error);
}

template <class Fields>
void fields_of(Fields& fields, BestCheckpoint& checkpoint) {
  fields.required("step", checkpoint.step);
  fields.required("name", checkpoint.name);
  fields.optional("loss", checkpoint.loss);
}

template <class Fields>
void fields_of(Fields& fields, LastFailure& failure) {
  fields.required("member", failure.member);
  fields.optional("pod", failure.pod);
  if (Fields::reads || !failure.node.empty()) fields.optional("node", failure.node);
  fields.optional("exitCode", failure.exit_code);
  fields.optional("signal", failure.signal);
  if (Fields::reads || !failure.reason.empty()) fields.optional("reason", failure.reason);
  fields.optional("message", failure.message);
  fields.required("time", failure.time);
}

template <class Fields>
void fields_of(Fields& fields, JobStatus& status) {
  if (!Fields::reads) leave_out_first_starts(status);
  // `state` follows from the conditions. It is written for users and kubectl's columns, and ignored when read.
  std::optional<std::string> state;
  if (const Condition* condition = headline_condition(status)) state = train::spelled(condition->type);
  fields.optional("state", state);
  fields.optional("observedGeneration", status.observed_generation);
  fields.optional("conditions", status.conditions);
  fields.optional("attempt", status.attempt);
  if (Fields::reads || status.uncharged_restarts != 0) fields.optional("unchargedRestarts", status.uncharged_restarts);
  if (Fields::reads || !status.trainer_image.empty()) fields.optional("trainerImage", status.trainer_image);
  if (Fields::reads || !status.worker_selector.empty()) fields.optional("workerSelector", status.worker_selector);
  fields.optional("members", status.members);
  fields.optional("replicas", status.replicas);
  if (Fields::reads) restore_first_starts(status);
  fields.optional("progress", status.progress);
  fields.optional("lastProgressTime", status.progress_time);
  fields.optional("lastCheckpoint", status.last_checkpoint);
  fields.optional("evaluation", status.evaluation);
  fields.optional("bestCheckpoint", status.best_checkpoint);
  fields.optional("startTime", status.start_time);
  fields.optional("completionTime", status.completion_time);
  fields.optional("drainDeadline", status.drain_deadline);
  fields.optional("restarts", status.restarts);
  fields.optional("disruptions", status.disruptions);
  fields.optional("lostSteps", status.lost_steps);
  fields.optional("lastFailure", status.last_failure);
}

// Convert the keys of status.members and status.replicas to text and back: `worker-1` for a member, `worker` for a
// role. key_from() returns nullopt for any other text. Its second argument only selects the overload: pass nullptr,
// cast to the type of the key.
std::optional<train::Member> key_from(const std::string& text, const train::Member*);
std::optional<train::Role> key_from(const std::string& text, const train::Role*);
std::string key_text(const train::Member& member);
std::string key_text(train::Role role);

template <class Key, class Value>
void read(const Node& node, const FieldPath& path, std::map<Key, Value>& values) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map) return path.report(node, "is " + std::string(describe_type(node)) + "; must be an object");
  for (const Entry& entry : *map) {
    const auto key = key_from(entry.name, static_cast<const Key*>(nullptr));
    if (key) {
      read(entry.node, path.below(entry.name), values[*key]);
    } else if (!path.ignores_unknown) {
      path.below(entry.name).report(entry.node, "is not a member or role of a job");
    }
  }
}

template <class Key, class Value>
void write(Node& node, const std::map<Key, Value>& values) {
  Node::Map map;
  for (const auto& [key, value] : values) write(map.emplace_back(Entry{key_text(key), {}}).node, value);
  node.value = std::move(map);
}

}  // namespace carrack::control
