// The fields of `spec.replicas` of a TrainingJob: the number of processes of each role (ps, worker), and the options of
// their pods. Decodes and encodes them; spec_fields.h explains such lists. own_fields.h has those of strategy Own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "operator/codec/fields.h"

namespace carrack::control {

// The number of parameter servers: either {count: 2}, which sets both min and max, or {min: 1, max: 4}. If the manifest
// has none of these fields, `replicas` is not changed.
template <class Fields>
void fields_of(Fields& fields, train::Replicas& replicas) {
  if constexpr (Fields::reads) {
    if (!fields.has("count") && (fields.has("min") || fields.has("max"))) {
      fields.required("min", replicas.min);
      fields.required("max", replicas.max);
      return;
    }
    fields.optional("count", replicas.max);
    if (fields.has("count")) replicas.min = replicas.max;
  } else if (replicas.min == replicas.max) {
    fields.required("count", replicas.max);
  } else {
    fields.required("min", replicas.min);
    fields.required("max", replicas.max);
  }
}

// Reads an object with a field for each resource, such as {cpu: 500m, memory: 4Gi}. As in Kubernetes, quantities are
// text or whole numbers. They are not checked here.
inline void read(const Node& node, const FieldPath& path, Quantities& quantities) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map)
    return path.report(node,
                       "is " + std::string(describe_type(node)) + "; must be an object with a field for each resource");
  quantities.clear();
  for (const Entry& entry : *map) {
    std::string& quantity = quantities[entry.name];
    if (const auto whole = whole_number(entry.node)) {
      quantity = std::to_string(*whole);
    } else {
      read(entry.node, path.below(entry.name), quantity);
    }
  }
}

inline void write(Node& node, const Quantities& quantities) {
  Node::Map map;
  for (const auto& [name, quantity] : quantities) write(map.emplace_back(Entry{name, {}}).node, quantity);
  node.value = std::move(map);
}

template <class Fields>
void fields_of(Fields& fields, Resources& resources) {
  if (Fields::reads || !resources.requests.empty()) fields.optional("requests", resources.requests);
  if (Fields::reads || !resources.limits.empty()) fields.optional("limits", resources.limits);
}

template <class Fields>
void fields_of(Fields& fields, PodOptions& pod) {
  if (Fields::reads || pod.resources != Resources()) fields.optional("resources", pod.resources);
  fields.optional("template", pod.pod_template);
}

// The number of workers: as that of parameter servers, or all three of `min`, `max` and the wanted number `count`.
struct WorkerReplicas {
  train::Replicas bounds;
  std::optional<int> count = {};  // set only if min and max are given too
};

template <class Fields>
void fields_of(Fields& fields, WorkerReplicas& workers) {
  if constexpr (Fields::reads) {
    if (!fields.has("min") && !fields.has("max")) return fields_of(fields, workers.bounds);
    fields.required("min", workers.bounds.min);
    fields.required("max", workers.bounds.max);
    fields.optional("count", workers.count);
  } else if (workers.count) {
    fields.required("count", *workers.count);
    fields.required("min", workers.bounds.min);
    fields.required("max", workers.bounds.max);
  } else {
    fields_of(fields, workers.bounds);
  }
}

// A whole entry of spec.replicas. JobSpec stores its two parts in different places, because the trainer has no use for
// the options of pods.
template <class Replicas>
struct RoleFields {
  Replicas replicas;
  PodOptions pod;
};

template <class Fields, class Replicas>
void fields_of(Fields& fields, RoleFields<Replicas>& role) {
  fields_of(fields, role.replicas);
  fields.moved("requests", "resources.requests");
  fields_of(fields, role.pod);
}

}  // namespace carrack::control
