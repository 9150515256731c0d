// A YAML or JSON document as a tree of values, with the place where each value was given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carrack::control {

struct Entry;

struct Node {
  using List = std::vector<Node>;
  using Map = std::vector<Entry>;  // in the order written; names are unique
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> value;
  int line = 0;             // from 1; 0 if not known, as in JSON
  std::string option = {};  // "--set spec.training.batch" if the value was given there instead; else empty
};

struct Entry {
  std::string name;
  Node node;
};

// Lines and options are not compared.
bool operator==(const Node& left, const Node& right);
bool operator==(const Entry& left, const Entry& right);

// Null if `node` is not an object or has no field of that name. Points into `node`.
const Node* child(const Node& node, std::string_view name);

// The entries of a field that is a list, and the text of one that is a text; empty for a field that is missing or
// something else.
const Node::List& list_in(const Node& node, std::string_view name);
std::string text_in(const Node& node, std::string_view name);

// "text", "a list", "a whole number", ... for messages, which do not show the value because it may be secret.
std::string_view describe_type(const Node& node);

}  // namespace carrack::control
