#include "operator/kube/status_patch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "operator/codec/job.h"

namespace carrack::control {
namespace {

using nlohmann::json;

json json_of(const Node& node) {
  return json::parse(to_json(node));
}

// Returns the JSON merge patch that turns `before` into `after`; both must be objects.
json difference(const json& before, const json& after) {
  json patch = json::object();
  for (const auto& [name, value] : before.items()) {
    if (!after.contains(name)) patch[name] = nullptr;
  }
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    if (old == before.end()) {
      patch[name] = value;
    } else if (old->is_object() && value.is_object()) {
      json inner = difference(*old, value);
      if (!inner.empty()) patch[name] = std::move(inner);
    } else if (*old != value) {
      patch[name] = value;
    }
  }
  return patch;
}

// Adds what a newer release has written: further fields of our conditions, and conditions of types that this release
// does not know. A merge patch replaces a list as a whole, so they would be lost otherwise.
json with_newer(json conditions, const std::vector<Node>& newer_conditions) {
  for (const Node& node : newer_conditions) {
    const json newer = json_of(node);
    const auto same = std::find_if(conditions.begin(), conditions.end(),
                                   [&](const json& ours) { return ours["type"] == newer["type"]; });
    if (same == conditions.end()) {
      conditions.push_back(newer);
    } else {
      same->insert(newer.begin(), newer.end());  // does not replace existing fields
    }
  }
  return conditions;
}

}  // namespace

json status_patch(const StoredStatus& stored, const JobStatus& status) {
  // A new job has no stored status, so fields with default values have to be sent too.
  const bool is_first = stored.status == JobStatus();
  json change =
      difference(is_first ? json::object() : json_of(status_node(stored.status)), json_of(status_node(status)));
  if (const auto conditions = change.find("conditions"); conditions != change.end()) {
    *conditions = with_newer(*conditions, stored.newer_conditions);
  }
  return {{"metadata", {{"resourceVersion", stored.version}}}, {"status", std::move(change)}};
}

std::string dropped_field(const json& sent, const json& stored, const std::string& path) {
  if (sent.is_null()) return "";  // The patch removes this field.
  if (stored.is_null()) return path;
  if (sent.is_object() && stored.is_object()) {
    for (const auto& [name, value] : sent.items()) {
      std::string dropped = dropped_field(value, stored.value(name, json()), path + "." + name);
      if (!dropped.empty()) return dropped;
    }
  }
  if (sent.is_array() && stored.is_array()) {
    for (std::size_t at = 0; at < sent.size(); ++at) {
      std::string dropped =
          dropped_field(sent[at], at < stored.size() ? stored[at] : json(), path + "[" + std::to_string(at) + "]");
      if (!dropped.empty()) return dropped;
    }
  }
  return "";
}

}  // namespace carrack::control
