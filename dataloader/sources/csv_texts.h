// The text of a CSV field, and the text of errors about fields. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dataloader/sources/csv_fields.h"

namespace carrack::data {

constexpr bool is_quoted(std::string_view field) {
  return !field.empty() && field[0] == '"';
}
// The text between the quotes of a quoted field; quotes within it are still written twice.
constexpr std::string_view between_quotes(std::string_view field) {
  return field.substr(1, field.size() - 2);
}
// Replaces each doubled quote by one, in place; returns the shortened text.
std::string_view unescape_quotes(std::span<char> text);
// The value of a field, unquoted.
std::string csv_text(std::string_view field);

// `there are "a", "b" and 3 more`.
std::string list_names(std::span<const std::string> names);
// Begins with a colon, to be appended to the name of a column.
const char* misquoting_text(MisquotedRow::Fault fault);

}  // namespace carrack::data
