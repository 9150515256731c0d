// Parses YAML and JSON into a tree of values, and writes it. The parsers accept any bytes: they return a Node or a
// Problem. Depth, size and number of values are bounded. All functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/core/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Where the value was given, to be put behind a message: " (line 3)", " (--set spec.training.batch)", or nothing if
// that is not known.
std::string place_of(const Node& node);
// The same for the field with a path such as `spec.data.features.x.size`, or for the innermost object or list on the
// way to it of which the document has the place.
std::string place_of(const Node& document, std::string_view path);

// The place in the map of the field with whose name the path begins, up to its end, a `.` or a `[`; nullopt if there is
// none. Of several it is the longest name, as that of a feature may hold dots.
std::optional<std::size_t> first_step(const Node::Map& map, std::string_view path);

// A name that occurs more than once; nullopt if all names are unique.
std::optional<std::string> duplicate_name(const Node::Map& map);

using Parsed = std::variant<Node, Problem>;

// Limits of what the parsers accept: far above any manifest, and low enough that parsing takes little memory and time.
constexpr std::size_t max_document_bytes = 1 << 20;
constexpr int max_values = 200'000;
constexpr int max_depth = 64;

Parsed parse_yaml(std::string_view text);
Parsed parse_json(std::string_view text);

std::string to_yaml(const Node& node);
std::string to_json(const Node& node);  // on one line; bytes that are not UTF-8 are replaced

}  // namespace carrack::control
