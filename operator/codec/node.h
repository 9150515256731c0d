// Parses YAML and JSON text into a tree of values (Node), and writes such a tree as text. The parsers accept any bytes:
// they return a Node, or a Problem with the field "manifest" and a text that begins with the line if it is known. They
// enforce the limits below. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Returns where in the user's input the value is, for the end of an error message: " (line 3)", or
// " (--set spec.training.batch)" if that option gave it. Empty if that is unknown.
std::string place_of(const Node& node);
// Returns the same for the field of `document` with a path such as `spec.data.features.x.size`. If the field is missing
// or its place unknown, returns the place of the innermost object or list around it whose place is known.
std::string place_of(const Node& document, std::string_view path);

// Returns the index in `map` of the field with whose name `path` begins: for "a.b.c" that is the field "a", or "a.b" if
// there is one, since names of features may contain dots. After the name the path must end or have a `.` or a `[`.
// nullopt if there is no such field.
std::optional<std::size_t> find_field_on_path(const Node::Map& map, std::string_view path);

// Returns the first name, in alphabetical order, that two fields of `map` have; nullopt if there is none.
std::optional<std::string> duplicate_name(const Node::Map& map);

using Parsed = std::variant<Node, Problem>;

// Limits of what the parsers accept: far above any manifest, and low enough that parsing takes little memory and time.
constexpr std::size_t max_document_bytes = 1 << 20;
constexpr int max_values = 200'000;  // of all types, so lists and objects count, too
constexpr int max_depth = 64;        // levels of lists and objects

// Parses one YAML document, in UTF-8. Refuses names that appear twice in an object, and unquoted scalars that kubectl,
// which reads YAML 1.1, would read as another value, such as `yes` or 010.
Parsed parse_yaml(std::string_view text);
// Parses one JSON value. Whole numbers that do not fit in int64 become double. Refuses names that appear twice in an
// object.
Parsed parse_json(std::string_view text);

std::string to_yaml(const Node& node);  // ends with a line break
std::string to_json(const Node& node);  // one line without a line break; bytes that are not UTF-8 are replaced

}  // namespace carrack::control
