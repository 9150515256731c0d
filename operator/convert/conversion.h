// What the parts of a conversion have in common: the kind of job, and the lists of what happens to its fields.
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
  added,        // what Kubeflow's operator adds by itself
  dropped,      // of no use to Carrack, and not missed
  unsupported,  // left out, though it has a meaning that Carrack does not provide
};

std::string_view spelled(ChangeKind kind);

// What becomes of a field.
struct Change {
  ChangeKind kind;
  std::string field;  // its path in Kubeflow's manifest
  std::string text;   // what it is now, or why it is left out and what to do
  bool operator==(const Change&) const = default;
};

struct KubeflowKind {
  std::string_view name;            // "TFJob"
  std::string_view framework;       // as TrainingJobs name it
  std::string_view replica_specs;   // the field with the roles
  std::string_view container;       // in which Kubeflow's operator expects the program
  std::string_view port_name;       // of the port by which the processes find each other
  std::int64_t port;                // which it has if the manifest gives none
  std::string_view restart_policy;  // likewise
};

class Conversion {
 public:
  explicit Conversion(const KubeflowKind& kind) : kind_(kind) {}

  const KubeflowKind& kind() const { return kind_; }
  bool is_tensorflow() const { return kind_.framework == "TensorFlow"; }

  void add(ChangeKind kind, const std::string& field, const std::string& text);
  void renamed(const std::string& field, const std::string& now) { add(ChangeKind::renamed, field, "is now " + now); }
  void drop_unknown(const std::string& field);
  void refuse(const std::string& field, const std::string& text) { problems_.expect(false, field, text); }

  // The value of a field, or nullptr after a problem was added because it is of another type.
  const Node::Map* object(const Node& node, const std::string& field);
  const Node::List* list(const Node& node, const std::string& field);
  // The number, or nullopt after a problem was added. A number above `max`, which TrainingJobs allow, becomes `max`.
  std::optional<std::int64_t> number(const Node& node, const std::string& field, std::int64_t min, std::int64_t max);
  std::optional<bool> boolean(const Node& node, const std::string& field);
  // The text of a field, "" if it is empty; nullopt after a problem was added.
  std::optional<std::string> text(const Node& node, const std::string& field);

  std::vector<Change> take_changes() { return std::move(changes_); }
  std::vector<Problem> take_problems() { return problems_.found(); }

 private:
  const KubeflowKind& kind_;
  std::vector<Change> changes_;
  Problems problems_;
};

// An empty value, which is as good as a missing field.
bool is_null(const Node& node);

}  // namespace carrack::control
