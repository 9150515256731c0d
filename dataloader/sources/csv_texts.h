// The text of a field of CSV, and the words for what is wrong with one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/sources/csv_fields.h"

namespace carrack::data {

constexpr bool is_quoted(std::string_view field) {
  return !field.empty() && field[0] == '"';
}
// Between the quotes; those that are written twice still are.
constexpr std::string_view between_quotes(std::string_view field) {
  return field.substr(1, field.size() - 2);
}
// Writes each doubled quote once; the text gets shorter where it lies.
std::string_view undoubled(std::span<char> text);
// What the field says.
std::string csv_text(std::string_view field);

// In quotes, cut where it is long, with what cannot be printed in hexadecimal.
std::string shown(std::string_view text);
// `1 field`, `2 fields`.
std::string counted(std::size_t count, const std::string& what);
// `there are "a", "b" and 3 more`.
std::string listed(std::span<const std::string> names);
// To be read behind the name of a column.
const char* words_for(MisquotedRow::Fault fault);

}  // namespace carrack::data
