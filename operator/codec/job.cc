#include "operator/codec/job.h"

#include <algorithm>
#include <charconv>

#include "operator/codec/spec_fields.h"
#include "operator/codec/status_fields.h"
#include "operator/core/member_words.h"

namespace carrack::control {
namespace {

constexpr std::string_view api_version = "carrack.dev/v1alpha1";
constexpr std::string_view object_kind = "TrainingJob";

// Reads the fields that Carrack uses. All others are ignored, because Kubernetes defines them.
void read_metadata(const Node& metadata, const FieldPath& path, JobSpec& spec) {
  const Node* name = child(metadata, "name");
  if (name) {
    read(*name, path.below("name"), spec.name);
  } else {
    path.below("name").report(metadata, "is missing");
  }
  if (const Node* uid = child(metadata, "uid")) read(*uid, path.below("uid"), spec.uid);
  if (const Node* generation = child(metadata, "generation")) {
    read(*generation, path.below("generation"), spec.generation);
  }
}

// Reports the field `name` of `object` if its value `text` is not `required`. If `object` has no such field, the caller
// must pass `required` as `text`, because the report needs the field.
void require_text(const Node& object, const char* name, const std::string& text, std::string_view required,
                  const FieldPath& path) {
  if (text != required)
    path.below(name).report(*child(object, name), "is '" + text + "'; must be " + std::string(required));
}

DecodedJob decode(const Node& node, bool ignores_unknown) {
  DecodedJob job;
  if (!std::holds_alternative<Node::Map>(node.value)) {
    FieldPath{"manifest", &job.problems}.report(node, "is " + std::string(describe_type(node)) + "; must be an object");
    return job;
  }
  const FieldPath root{"", &job.problems, ignores_unknown};
  std::string version(api_version);
  std::string kind(object_kind);
  Node metadata;
  job.document = node;
  FieldReader fields(node, root);
  fields.required("apiVersion", version);
  fields.required("kind", kind);
  fields.required("metadata", metadata);
  if (version.starts_with("kubeflow.org/")) {
    root.below("kind").report(*child(node, "apiVersion"),
                              "is '" + kind + "' of Kubeflow; `carrack convert` makes a TrainingJob of it");
    return job;
  }
  require_text(node, "apiVersion", version, api_version, root);
  require_text(node, "kind", kind, object_kind, root);
  // All fields of an object of another kind would be unknown, so they are not read.
  if (version != api_version || kind != object_kind) return job;
  if (fields.has("metadata")) read_metadata(metadata, root.below("metadata"), job.spec);
  fields.required("spec", job.spec);
  fields.optional("status", job.status);
  fields.end();
  return job;
}

DecodedJob decode(const Parsed& parsed, bool ignores_unknown) {
  if (const auto* problem = std::get_if<Problem>(&parsed)) return {{}, {}, {*problem}, {}, {}};
  return decode(std::get<Node>(parsed), ignores_unknown);
}

// Returns the conditions in the status that have a type or a field that this release does not know. A newer release of
// the operator wrote them.
std::vector<Node> newer_conditions_in(const Node& object) {
  Node ours;
  write(ours, Condition());
  const Node* status = child(object, "status");
  const Node* conditions = status ? child(*status, "conditions") : nullptr;
  const auto* list = conditions ? std::get_if<Node::List>(&conditions->value) : nullptr;
  std::vector<Node> newer;
  if (!list) return newer;
  for (const Node& condition : *list) {
    const auto* fields = std::get_if<Node::Map>(&condition.value);
    const bool is_newer = is_of_newer_type(condition) ||
                          (fields && child(condition, "type") &&
                           std::ranges::any_of(*fields, [&](const Entry& field) { return !child(ours, field.name); }));
    if (is_newer) newer.push_back(condition);
  }
  return newer;
}

}  // namespace

std::optional<train::Member> key_from(const std::string& text, const train::Member*) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto role = key_from(text.substr(0, dash), static_cast<const train::Role*>(nullptr));
  int index = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + dash + 1, end, index);
  if (!role || error != std::errc() || stop != end || index < 0) return std::nullopt;
  return train::Member{*role, index};
}

std::optional<train::Role> key_from(const std::string& text, const train::Role*) {
  for (const auto& spelling : train::spellings<train::Role>) {
    if (spelling.text == text) return spelling.value;
  }
  return std::nullopt;
}

std::string key_text(const train::Member& member) {
  return member_name(member);
}

std::string key_text(train::Role role) {
  return std::string(train::spelled(role));
}

DecodedJob decode_job(const Node& node) {
  return decode(node, false);
}

Parsed parse_manifest(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return is_json ? parse_json(text) : parse_yaml(text);
}

DecodedJob decode_job(std::string_view text) {
  return decode(parse_manifest(text), false);
}

DecodedJob decode_stored_job(std::string_view json) {
  DecodedJob job = decode(parse_json(json), true);
  job.newer_conditions = newer_conditions_in(job.document);
  return job;
}

std::vector<Problem> with_places(std::vector<Problem> problems, const Node& document) {
  for (Problem& problem : problems) problem.text += place_of(document, problem.field);
  return problems;
}

Node job_node(const JobSpec& spec) {
  FieldWriter fields;
  fields.required("apiVersion", std::string(api_version));
  fields.required("kind", std::string(object_kind));
  fields.group("metadata", [&](FieldWriter& metadata) {
    metadata.required("name", spec.name);
    if (!spec.uid.empty()) metadata.required("uid", spec.uid);
    if (spec.generation != 0) metadata.required("generation", spec.generation);
  });
  fields.required("spec", spec);
  return std::move(fields).node();
}

std::string state_of(const JobStatus& status) {
  const Condition* condition = headline_condition(status);
  return condition ? std::string(train::spelled(condition->type)) : "";
}

Node status_node(const JobStatus& status) {
  Node node;
  write(node, status);
  return node;
}

}  // namespace carrack::control
