// A YAML or JSON document as a tree of values, with the line or the option that gave each value, for error messages.
// operator/codec/node.h parses and writes it; pod templates stay in this form.
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
  // monostate is null, or an empty value in YAML.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> value;
  int line = 0;             // of the document, from 1; 0 if not known, as in JSON
  std::string option = {};  // "--set spec.training.batch" if that option gave the value; else empty
};

struct Entry {
  std::string name;
  Node node;
};

// Compare names and values, but not lines and options.
bool operator==(const Node& left, const Node& right);
bool operator==(const Entry& left, const Entry& right);

// Returns the value of a field of an object; nullptr if `node` is not an object or has no such field. Points into
// `node`.
const Node* child(const Node& node, std::string_view name);

// Return the list, or a copy of the text, in the field `name` of an object; empty if `node` is not an object or the
// field is missing or has another type. list_in() returns a reference into `node`, or to a static empty list.
const Node::List& list_in(const Node& node, std::string_view name);
std::string text_in(const Node& node, std::string_view name);

// Returns the type in words ("text", "a list", "a whole number"; "empty" for null). Messages about a wrong type show it
// instead of the value, which may be secret.
std::string_view describe_type(const Node& node);

}  // namespace carrack::control
