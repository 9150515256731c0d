// Parses YAML and JSON into a tree of values, and writes such a tree. The parsers accept any bytes: they return a Node,
// or a Problem with the field "manifest". They enforce the limits below. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Returns where the value was given, for the end of a message: " (line 3)" or " (--set spec.training.batch)". Empty if
// that is unknown.
std::string place_of(const Node& node);
// Returns the place of the field with a path such as `spec.data.features.x.size`. If it is unknown, returns the place
// of the innermost object or list around the field whose place is known.
std::string place_of(const Node& document, std::string_view path);

// Returns the index in `map` of the field with whose name `path` begins; after the name the path must end or have a `.`
// or a `[`. nullopt if there is none. The longest matching name wins, since names of features may contain dots.
std::optional<std::size_t> first_step(const Node::Map& map, std::string_view path);

// Returns a name that occurs more than once; nullopt if there is none.
std::optional<std::string> duplicate_name(const Node::Map& map);

using Parsed = std::variant<Node, Problem>;

// Limits of what the parsers accept: far above any manifest, and low enough that parsing takes little memory and time.
constexpr std::size_t max_document_bytes = 1 << 20;
constexpr int max_values = 200'000;  // of all types, so lists and objects count, too
constexpr int max_depth = 64;        // levels of lists and objects

// Parses one YAML document, in UTF-8. Refuses plain scalars that kubectl, which reads YAML 1.1, would read as another
// value, such as `yes` or 010, and names that appear twice in an object.
Parsed parse_yaml(std::string_view text);
// Parses one JSON value. Whole numbers that do not fit in int64 become double. Refuses names that appear twice in an
// object.
Parsed parse_json(std::string_view text);

std::string to_yaml(const Node& node);  // ends with a line break
std::string to_json(const Node& node);  // one line without a line break; bytes that are not UTF-8 are replaced

}  // namespace carrack::control
