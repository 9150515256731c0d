#include "dataloader/sources/missing_values.h"

#include <algorithm>
#include <cmath>

#include "dataloader/sources/number_text.h"

namespace carrack::data {

MissingValues::MissingValues(const std::vector<std::string>& texts) : texts_(texts), json_words_(json_words(texts)) {
  for (const std::string& text : texts_)
    if (const std::optional<Number> number = number_in(text)) numbers_.push_back(*number);
}

bool MissingValues::has_text(std::string_view text) const {
  return std::ranges::find(texts_, text) != texts_.end();
}

bool MissingValues::has_number(std::string_view text) const {
  const std::optional<Number> number = numbers_.empty() ? std::nullopt : number_in(text);
  return number && std::ranges::any_of(numbers_, [&](const Number& one) { return is_same(one, *number); });
}

bool MissingValues::take(JsonScanner& json) const {
  if (json.peek() == 'n') return json.take(std::string_view("null"));
  if (json.peek() == '"')
    return std::ranges::any_of(json_words_, [&](const std::string& word) { return json.take(std::string_view(word)); });
  if (numbers_.empty()) return false;
  JsonScanner ahead = json;
  const std::optional<std::string_view> number = ahead.number();
  if (!number || !has_number(*number)) return false;
  json = ahead;
  return true;
}

std::optional<MissingValues::Number> MissingValues::number_in(std::string_view text) {
  const std::optional<double> value = double_in(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return Number{int_in(text), *value};
}

// Whole numbers are compared as integers: two that differ may be the same double if they have more than 53 bits.
bool MissingValues::is_same(const Number& one, const Number& other) {
  return one.whole && other.whole ? *one.whole == *other.whole : one.value == other.value;
}

}  // namespace carrack::data
