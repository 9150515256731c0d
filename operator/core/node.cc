#include "operator/core/node.h"

#include <algorithm>
#include <array>

namespace carrack::control {

bool operator==(const Node& left, const Node& right) {
  return left.value == right.value;
}

bool operator==(const Entry& left, const Entry& right) {
  return left.name == right.name && left.node == right.node;
}

const Node* child(const Node& node, std::string_view name) {
  const auto* map = std::get_if<Node::Map>(&node.value);
  if (!map) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(), [&](const Entry& entry) { return entry.name == name; });
  return found == map->end() ? nullptr : &found->node;
}

const Node::List& list_in(const Node& node, std::string_view name) {
  static const Node::List empty;
  const Node* found = child(node, name);
  const auto* list = found ? std::get_if<Node::List>(&found->value) : nullptr;
  return list ? *list : empty;
}

std::string text_in(const Node& node, std::string_view name) {
  const Node* found = child(node, name);
  const auto* text = found ? std::get_if<std::string>(&found->value) : nullptr;
  return text ? *text : "";
}

std::string_view describe_type(const Node& node) {
  constexpr std::array types = {"empty", "true or false", "a whole number", "a number", "text", "a list", "an object"};
  static_assert(types.size() == std::variant_size_v<decltype(node.value)>);
  return types[node.value.index()];
}

}  // namespace carrack::control
