#include "dataloader/sources/number_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

#include "dataloader/text.h"

namespace carrack::data {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Removes a plus sign, which std::from_chars does not accept.
std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return text.substr(has_plus ? 1 : 0);
}

// `text` is a number out of the range of float. Returns true if it is too large, false if it is too close to 0.
// std::from_chars() does not say which of the two it is.
bool is_large(std::string_view text) {
  long power = 0;  // one more than the power of ten of the first digit that is not 0
  bool behind_point = false, found = false;
  std::size_t i = text[0] == '-' ? 1 : 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.')
      behind_point = true;
    else if (found || (text[i] != '0' && !behind_point))
      power += behind_point ? 0 : 1;
    else if (behind_point && text[i] == '0')
      --power;
    found = found || (text[i] != '.' && text[i] != '0');
  }
  if (i == text.size()) return power > 0;
  const std::string_view exponent = without_plus(text.substr(i + 1));
  long value = 0;
  const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (error == std::errc::result_out_of_range || value > 1'000'000'000 || value < -1'000'000'000)
    return exponent[0] != '-';
  return power + value > 0;
}

}  // namespace

std::string exact_text(double number) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr};
}

bool is_whole_number(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::optional<std::int64_t> int_in(std::string_view text) {
  return number_in<std::int64_t>(without_plus(trimmed(text)));
}

std::optional<double> double_in(std::string_view text) {
  return number_in<double>(without_plus(trimmed(text)));
}

std::optional<float> float_in(std::string_view text) {
  text = without_plus(trimmed(text));
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    value = is_large(text) ? std::numeric_limits<float>::infinity() : 0;
    if (text[0] == '-') value = -value;
  }
  return value;
}

}  // namespace carrack::data
