// The part of CsvReader that fills the columns from the fields that CsvFields has found.
#include <algorithm>
#include <charconv>
#include <system_error>

#include "dataloader/records/example_problems.h"
#include "dataloader/records/wire.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/csv_texts.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// Parses a field without quotes, blanks or a plus sign, as nearly all fields are. Returns false for any other field,
// which fill_general() then parses more slowly.
template <typename Number>
bool take_usual(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, value);
  return behind == end && error == std::errc();
}
bool take_usual(std::string_view text, std::string_view& value) {
  if (text.empty() || is_quoted(text)) return false;
  value = text;
  return true;
}

// Returns the value of `text` in the type of the second argument; nullopt if it has no such value.
std::optional<float> value_in(std::string_view text, float) {
  return float_in(text);
}
std::optional<std::int64_t> value_in(std::string_view text, std::int64_t) {
  return int_in(text);
}
std::optional<std::string_view> value_in(std::string_view text, std::string_view) {
  return text;
}

std::string problem_of(const Feature& requested, std::string_view text) {
  const std::string subject = "column \"" + requested.name + "\" holds " + excerpt(text) + ", ";
  if (requested.dtype == Dtype::int64 && is_whole_number(text)) return subject + "which no int64 holds";
  return subject + "and " + name_of(requested.dtype) + " was asked for";
}

std::string no_value(const Feature& requested, std::string_view text) {
  const std::string subject = "column \"" + requested.name + "\" ";
  if (text.empty()) return subject + "is empty, and there is no default";
  return subject + "has no value but " + excerpt(text) + ", and there is no default";
}

}  // namespace

void CsvReader::fill() {
  for (std::size_t i = 0; i < features_.size(); ++i)
    std::visit([&](auto& values) { fill(i, values); }, columns_[i].values);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    std::visit([&](auto& values) { values.resize(rows_.size(), {}); }, columns_[i].values);
    auto* const strings = std::get_if<LargeVector<std::string_view>>(&columns_[i].values);
    if (strings != nullptr && fields_.has_doubled()) undouble(places_[i], *strings);
    if (features_[i].shape == Shape::list) make_list(i);
  }
}

// Fills one column. If a field has no value of the requested type, marks its row as lost and shortens rows_ to the rows
// before it.
template <typename Value>
void CsvReader::fill(std::size_t feature_index, LargeVector<Value>& values) {
  const Feature& feature = features_[feature_index];
  const bool may_be_usual = missing_values_.is_empty();  // otherwise a usual text may mean that the value is missing
  missing_[feature_index].clear();
  values.resize(rows_.size(), {});
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string_view text = field(rows_[i], places_[feature_index]);
    if ((may_be_usual && take_usual(text, values[i])) || fill_general(feature, text, values[i])) continue;
    if (feature.shape == Shape::list && is_missing(feature, text)) {
      missing_[feature_index].push_back(i);
      continue;
    }
    const CsvFields::Row row = rows_[i];
    rows_.resize(i);
    const std::string_view content = is_quoted(text) ? between_quotes(text) : text;
    const bool has_none = content.empty() || is_missing(feature, text);
    return lose(row, static_cast<std::size_t>(text.data() - wire::text_of(file_.bytes()).data()),
                has_none ? no_value(feature, content) : problem_of(feature, content),
                has_none ? Fault::no_value : Fault::wrong_type);
  }
}

// Sets `value` from a field of any form: missing, in quotes, or with blanks or a plus sign. Returns false if the field
// has no value of the requested type, or is missing and has no default.
template <typename Value>
bool CsvReader::fill_general(const Feature& feature, std::string_view text, Value& value) const {
  if (is_missing(feature, text)) {
    if (feature.default_values) value = std::get<LargeVector<Value>>(*feature.default_values)[0];
    return feature.default_values.has_value();
  }
  if (is_quoted(text)) text = between_quotes(text);
  const std::optional<Value> found = value_in(text, Value());
  if (found) value = *found;
  return found.has_value();
}

// True if the field is empty, or its value is one of the texts that mean a missing value. An empty field in quotes is a
// value in a column of bytes.
bool CsvReader::is_missing(const Feature& feature, std::string_view field) const {
  const std::string_view text = is_quoted(field) ? between_quotes(field) : field;
  if (text.empty()) return !is_quoted(field) || feature.dtype != Dtype::bytes;
  // A quote within a field in quotes is doubled.
  if (is_quoted(field) && text.find('"') != text.npos) return missing_values_.has_text(csv_text(field));
  return missing_values_.has_text(text) || (feature.dtype != Dtype::bytes && missing_values_.has_number(text));
}

// Turns a column with one value for each row into lists of one value, or of none in the rows where it is missing.
void CsvReader::make_list(std::size_t feature_index) {
  const std::vector<std::size_t>& missing = missing_[feature_index];
  std::vector<std::size_t>& splits = columns_[feature_index].splits[0];
  splits.assign(1, 0);
  std::visit(
      [&](auto& values) {
        std::size_t to = 0, next = 0;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
          const bool has_none = next < missing.size() && missing[next] == row;
          if (has_none) {
            ++next;
          } else {
            values[to++] = values[row];
          }
          splits.push_back(to);
        }
        values.resize(to, {});
      },
      columns_[feature_index].values);
}

// Replaces each doubled quote in the strings of a column by one quote. This changes the buffered bytes. So fill() calls
// it last, and only for the rows that next() returns: later rows are parsed again, so their bytes must not change.
void CsvReader::undouble(std::size_t column, LargeVector<std::string_view>& values) {
  const std::span<std::byte> bytes = file_.bytes();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string_view text = field(rows_[i], column);
    if (!is_quoted(text) || values[i].data() != text.data() + 1) continue;
    const auto at = static_cast<std::size_t>(values[i].data() - wire::text_of(bytes).data());
    values[i] = unescape_quotes({reinterpret_cast<char*>(bytes.data()) + at, values[i].size()});
  }
}

}  // namespace carrack::data
