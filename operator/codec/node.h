// A decoded YAML or JSON text: what both have in common, with the line each value stands on.
// Reading any bytes gives a Node or a Problem; depth, size and number of values are bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "operator/core/validate.h"

namespace carrack::control {

struct Entry;

struct Node {
  using List = std::vector<Node>;
  using Map = std::vector<Entry>;  // in the order written; no name twice
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> value;
  int line = 0;  // from 1; 0 where not known
};

struct Entry {
  std::string name;
  Node node;
};

bool operator==(const Node& left, const Node& right);  // lines do not count
bool operator==(const Entry& left, const Entry& right);

// Null where it is no object, or has no value of that name.
const Node* child(const Node& node, std::string_view name);

std::optional<std::string> name_twice(const Node::Map& map);

using Read = std::variant<Node, Problem>;

// Bounds of what is read: far above any manifest, far below what could hurt.
constexpr std::size_t most_bytes = 1 << 20;
constexpr int most_values = 100'000;
constexpr int most_depth = 64;

Read read_yaml(std::string_view text);
Read read_json(std::string_view text);

std::string yaml_text(const Node& node);
std::string json_text(const Node& node);

}  // namespace carrack::control
