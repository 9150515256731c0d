// What the parts of `carrack convert` share (kubeflow.h is the whole): the kind of Kubeflow job, and a Conversion, in
// which they collect what becomes of each field of its manifest, and the problems.
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
  kept,         // the TrainingJob has the same field with the same meaning
  renamed,      // it has another field with the same meaning
  changed,      // it has a field whose meaning is not quite the same
  added,        // it has something that the manifest does not have
  dropped,      // the field is left out, and nothing is lost
  unsupported,  // Carrack does not provide what the field means
};

std::string_view spelled(ChangeKind kind);

// What becomes of a field of Kubeflow's manifest; `carrack convert` prints one line for each.
struct Change {
  ChangeKind kind;
  std::string field;  // its path, such as spec.runPolicy.suspend
  std::string text;   // what it is now, or why it is left out and what to do; empty if it is kept
  bool operator==(const Change&) const = default;
};

// A kind of Kubeflow job that can be converted. The views are of literals.
struct KubeflowKind {
  std::string_view name;            // "TFJob"
  std::string_view framework;       // the value of spec.framework in a TrainingJob
  std::string_view replica_specs;   // the field of spec with the roles
  std::string_view container;       // the name of the container that trains
  std::string_view port_name;       // the name of the port by which the processes find each other
  std::int64_t port;                // the number of that port if the manifest gives none
  std::string_view restart_policy;  // the policy of a role if the manifest gives none: "Never" or "OnFailure"
};

// Collects the changes and problems of one conversion. `field` is always the path of a field in Kubeflow's manifest. A
// problem means that the job cannot be converted; the conversion continues, to find all problems.
class Conversion {
 public:
  // `kind` must outlive this.
  explicit Conversion(const KubeflowKind& kind) : kind_(kind) {}

  const KubeflowKind& kind() const { return kind_; }
  bool is_tensorflow() const { return kind_.framework == "TensorFlow"; }

  void add(ChangeKind kind, const std::string& field, const std::string& text);
  // `now` is the path of the field in the TrainingJob.
  void renamed(const std::string& field, const std::string& now) { add(ChangeKind::renamed, field, "is now " + now); }
  // Adds the change of a field that this kind of job does not have in kubeflow.org/v1: it is dropped.
  void drop_unknown(const std::string& field);
  // Adds a problem, so that the job is not converted.
  void refuse(const std::string& field, const std::string& text) { problems_.expect(false, field, text); }

  // The functions below check the type of `node`, which is the value of `field`, and return its content.

  // object() and list() return a pointer into `node`. If its value is of another type, also if it is null, they add a
  // problem and return nullptr.
  const Node::Map* object(const Node& node, const std::string& field);
  const Node::List* list(const Node& node, const std::string& field);
  // If the value is not a whole number or is below `min`, adds a problem and returns nullopt. `max` is the maximum that
  // a TrainingJob allows: a greater number becomes `max`, and is added as changed.
  std::optional<std::int64_t> number(const Node& node, const std::string& field, std::int64_t min, std::int64_t max);
  // If the value is not true or false, also if it is null, adds a problem and returns nullopt.
  std::optional<bool> boolean(const Node& node, const std::string& field);
  // Returns "" if the value is null. If it is of another type than text, adds a problem and returns nullopt.
  std::optional<std::string> text(const Node& node, const std::string& field);

  // Each returns its list, which is empty afterwards.
  std::vector<Change> take_changes() { return std::move(changes_); }
  std::vector<Problem> take_problems() { return problems_.found(); }

 private:
  const KubeflowKind& kind_;
  std::vector<Change> changes_;
  Problems problems_;
};

// True for the value of a field that is written without a value. Such a field counts as missing.
bool is_null(const Node& node);

}  // namespace carrack::control
