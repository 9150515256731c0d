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
// Returns the text between the quotes of a field for which is_quoted() is true and that has a closing quote. Quotes
// within it are still doubled.
constexpr std::string_view between_quotes(std::string_view field) {
  return field.substr(1, field.size() - 2);
}
// Replaces each doubled quote in `text` by one quote, and returns the shortened text, which is the front of `text`.
std::string_view unescape_quotes(std::span<char> text);
// Returns the value of a field, without its quotes.
std::string csv_text(std::string_view field);

// Returns words for messages, such as `there are "a" and "b"`. If there are more than ten names, it lists ten of them
// and ends with `and 3 more`.
std::string list_names(std::span<const std::string> names);
// Returns the end of a message about a column; it begins with a colon and follows the name of the column.
const char* misquoting_text(MisquotedRow::Fault fault);

}  // namespace carrack::data
