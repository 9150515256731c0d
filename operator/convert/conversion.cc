#include "operator/convert/conversion.h"

#include <stdexcept>

namespace carrack::control {
namespace {

std::string wrong_type(const Node& node, const std::string& right) {
  return "is " + std::string(describe_type(node)) + "; must be " + right;
}

}  // namespace

std::string_view spelled(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kept:
      return "kept";
    case ChangeKind::renamed:
      return "renamed";
    case ChangeKind::changed:
      return "changed";
    case ChangeKind::added:
      return "added";
    case ChangeKind::dropped:
      return "dropped";
    case ChangeKind::unsupported:
      return "unsupported";
  }
  throw std::logic_error("a kind of change without a name");
}

void Conversion::add(ChangeKind kind, const std::string& field, const std::string& text) {
  changes_.push_back({kind, field, text});
}

void Conversion::drop_unknown(const std::string& field) {
  add(ChangeKind::dropped, field, "is not a field of a " + std::string(kind_.name) + " of kubeflow.org/v1");
}

const Node::Map* Conversion::object(const Node& node, const std::string& field) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map) refuse(field, wrong_type(node, "an object"));
  return map;
}

const Node::List* Conversion::list(const Node& node, const std::string& field) {
  const auto* entries = std::get_if<Node::List>(&node.value);
  if (!entries) refuse(field, wrong_type(node, "a list"));
  return entries;
}

std::optional<std::int64_t> Conversion::number(const Node& node, const std::string& field, std::int64_t min,
                                               std::int64_t max) {
  const auto* number = std::get_if<std::int64_t>(&node.value);
  if (!number) {
    refuse(field, wrong_type(node, "a whole number"));
    return std::nullopt;
  }
  if (*number < min) {
    refuse(field, "is " + to_text(*number) + "; must be at least " + to_text(min));
    return std::nullopt;
  }
  if (*number <= max) return *number;
  add(ChangeKind::changed, field, "is " + to_text(*number) + "; a TrainingJob allows at most " + to_text(max));
  return max;
}

std::optional<bool> Conversion::boolean(const Node& node, const std::string& field) {
  const auto* value = std::get_if<bool>(&node.value);
  if (value) return *value;
  refuse(field, wrong_type(node, "true or false"));
  return std::nullopt;
}

std::optional<std::string> Conversion::text(const Node& node, const std::string& field) {
  if (is_null(node)) return "";
  const auto* value = std::get_if<std::string>(&node.value);
  if (value) return *value;
  refuse(field, wrong_type(node, "text"));
  return std::nullopt;
}

bool is_null(const Node& node) {
  return std::holds_alternative<std::monostate>(node.value);
}

}  // namespace carrack::control
