// Converts CSV fields as they are in the file, with quotes, to their values, and makes error messages about them. For
// CsvReader. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dataloader/sources/csv_fields.h"

namespace carrack::data {

// True if the field begins with a quote.
constexpr bool is_quoted(std::string_view field) {
  return !field.empty() && field[0] == '"';
}
// Returns a view of the text between the quotes of a field, which must begin and end with a quote. Quotes within it are
// still doubled: `"a ""b"""` -> `a ""b""`.
constexpr std::string_view between_quotes(std::string_view field) {
  return field.substr(1, field.size() - 2);
}
// Replaces each doubled quote in `text`, a result of between_quotes(), by one quote. Modifies `text` in place and
// returns its front, which has the shortened text.
std::string_view unescape_quotes(std::span<char> text);
// Returns a copy of the value of a field, without its quotes and with one quote for each doubled quote: `"a ""b"""` ->
// `a "b"`. A field without quotes is returned as it is.
std::string csv_text(std::string_view field);

// Returns words for a message: `there are "a", "b" and "c"`. If there are more than ten names, it lists ten of them and
// ends with `and 3 more`. `names` should not be empty.
std::string list_names(std::span<const std::string> names);
// Returns the end of the message about a misquoted field, which follows the name of the column: ": text follows the
// quote that ends the field; ...".
const char* misquoting_text(MisquotedRow::Fault fault);

}  // namespace carrack::data
