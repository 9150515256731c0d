#include "operator/codec/node.h"

#include <algorithm>
#include <charconv>

namespace carrack::control {

std::string place_of(const Node& node) {
  if (!node.option.empty()) return " (" + node.option + ")";
  return node.line > 0 ? " (line " + std::to_string(node.line) + ")" : "";
}

std::optional<std::size_t> find_field_on_path(const Node::Map& map, std::string_view path) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string& name = map[i].name;
    const std::string_view rest = path.substr(std::min(name.size(), path.size()));
    const bool ends_here = rest.empty() || rest.front() == '.' || rest.front() == '[';
    if (path.starts_with(name) && ends_here && (!found || name.size() >= map[*found].name.size())) found = i;
  }
  return found;
}

std::string place_of(const Node& document, std::string_view path) {
  const Node* node = &document;
  std::string place;
  while (!path.empty()) {
    const Node* next = nullptr;
    std::size_t length = 0;
    if (path.front() == '[') {
      const auto* list = std::get_if<Node::List>(&node->value);
      std::size_t index = 0;
      const auto end = std::from_chars(path.data() + 1, path.data() + path.size(), index).ptr;
      if (list && index < list->size()) next = &(*list)[index];
      length = static_cast<std::size_t>(end - path.data()) + 1;
    } else if (const auto* map = std::get_if<Node::Map>(&node->value)) {
      const std::optional<std::size_t> step = find_field_on_path(*map, path);
      if (step) next = &(*map)[*step].node;
      if (step) length = (*map)[*step].name.size();
    }
    if (!next) return place;
    node = next;
    if (const std::string known = place_of(*node); !known.empty()) place = known;
    path.remove_prefix(std::min(length, path.size()));
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return place;
}

std::optional<std::string> duplicate_name(const Node::Map& map) {
  std::vector<std::string_view> names;
  for (const Entry& entry : map) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional<std::string>(*twice);
}

}  // namespace carrack::control
