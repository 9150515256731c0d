#include "operator/codec/node.h"

#include <algorithm>

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

std::optional<std::string> name_twice(const Node::Map& map) {
  std::vector<std::string_view> names;
  for (const Entry& entry : map) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional<std::string>(*twice);
}

}  // namespace carrack::control
