// Parses YAML and JSON into a tree of values, and writes such a tree. The parsers accept any bytes: they return a Node
// or a Problem. Depth, size and number of values are bounded. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Where the value was given, to be appended to a message: " (line 3)" or " (--set spec.training.batch)"; empty if
// unknown.
std::string place_of(const Node& node);
// The place of the field with a path such as `spec.data.features.x.size`. If it is unknown, the place of the innermost
// object or list around it whose place is known.
std::string place_of(const Node& document, std::string_view path);

// The index in `map` of the field with whose name `path` begins; the name must end at the end of the path, a `.` or a
// `[`. nullopt if there is none. If several match the longest wins, since names of features may contain dots.
std::optional<std::size_t> first_step(const Node::Map& map, std::string_view path);

// A name that occurs more than once; nullopt if there is none.
std::optional<std::string> duplicate_name(const Node::Map& map);

using Parsed = std::variant<Node, Problem>;

// Limits of what the parsers accept: far above any manifest, and low enough that parsing takes little memory and time.
constexpr std::size_t max_document_bytes = 1 << 20;
constexpr int max_values = 200'000;
constexpr int max_depth = 64;

// Refuses plain scalars that kubectl, which reads YAML 1.1, would take for another value, such as `yes` or 010.
Parsed parse_yaml(std::string_view text);
Parsed parse_json(std::string_view text);

std::string to_yaml(const Node& node);
std::string to_json(const Node& node);  // one line; bytes that are not UTF-8 are replaced

}  // namespace carrack::control
