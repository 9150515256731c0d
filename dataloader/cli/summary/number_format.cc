
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "dataloader/cli/summary/number_format.h"
#include "dataloader/text.h"

namespace carrack::data::cli {

std::string short_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string with_one_decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string format_rate(std::uint64_t bytes, double seconds) {
  return format_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-3))) + "/s";
}

std::string whole_number(std::int64_t number) {
  return number < 0 ? "-" + counted(0 - static_cast<std::uint64_t>(number))
                    : counted(static_cast<std::uint64_t>(number));
}

std::string json_number(float number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const std::string digits(text.data(), end);
  return digits.find_first_of(".e") == digits.npos ? digits + ".0" : digits;
}

}  // namespace carrack::data::cli
