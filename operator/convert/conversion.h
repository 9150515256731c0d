// What the parts of a conversion share: the kind of job, and the lists of changes and problems of its fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/core/node.h"
#include "operator/core/problems.h"

namespace carrack::control {

enum class ChangeKind {
  kept,         // the same field with the same meaning
  renamed,      // another field with the same meaning
  changed,      // the meaning is not quite the same
  added,        // the TrainingJob has something that the manifest does not have
  dropped,      // left out, and not missed
  unsupported,  // Carrack does not provide what it means
};

std::string_view spelled(ChangeKind kind);

// What becomes of a field of Kubeflow's manifest.
struct Change {
  ChangeKind kind;
  std::string field;  // its path
  std::string text;   // what it is now, or why it is left out and what to do
  bool operator==(const Change&) const = default;
};

struct KubeflowKind {
  std::string_view name;            // "TFJob"
  std::string_view framework;       // the value of spec.framework in a TrainingJob
  std::string_view replica_specs;   // the field of spec with the roles
  std::string_view container;       // the name of the container that trains
  std::string_view port_name;       // the name of the port by which the processes find each other
  std::int64_t port;                // the number of that port if the manifest gives none
  std::string_view restart_policy;  // of a role if the manifest gives none
};

// Collects the changes and problems of one conversion. `field` is always the path of a field in Kubeflow's manifest.
class Conversion {
 public:
  // `kind` must outlive this.
  explicit Conversion(const KubeflowKind& kind) : kind_(kind) {}

  const KubeflowKind& kind() const { return kind_; }
  bool is_tensorflow() const { return kind_.framework == "TensorFlow"; }

  void add(ChangeKind kind, const std::string& field, const std::string& text);
  void renamed(const std::string& field, const std::string& now) { add(ChangeKind::renamed, field, "is now " + now); }
  // Lists a field that this kind of job does not have.
  void drop_unknown(const std::string& field);
  // Adds a problem.
  void refuse(const std::string& field, const std::string& text) { problems_.expect(false, field, text); }

  // Return a pointer into `node`, or nullptr after adding a problem if its value is of another type.
  const Node::Map* object(const Node& node, const std::string& field);
  const Node::List* list(const Node& node, const std::string& field);
  // Returns nullopt after adding a problem if the value is not a whole number, or is below `min`. A number above `max`,
  // the most that a TrainingJob allows, becomes `max` and is listed as changed.
  std::optional<std::int64_t> number(const Node& node, const std::string& field, std::int64_t min, std::int64_t max);
  std::optional<bool> boolean(const Node& node, const std::string& field);
  // Returns "" for a null value, and nullopt after adding a problem for a value of another type.
  std::optional<std::string> text(const Node& node, const std::string& field);

  // Leave the lists empty.
  std::vector<Change> take_changes() { return std::move(changes_); }
  std::vector<Problem> take_problems() { return problems_.found(); }

 private:
  const KubeflowKind& kind_;
  std::vector<Change> changes_;
  Problems problems_;
};

// True for the value of a field that is written without one. Such a field counts as missing.
bool is_null(const Node& node);

}  // namespace carrack::control
