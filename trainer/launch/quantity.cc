#include "trainer/launch/quantity.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

namespace carrack::train {

std::optional<std::uint64_t> parse_quantity(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"", 1},          {"k", 1e3},       {"M", 1e6},
                                                           {"G", 1e9},       {"T", 1e12},      {"Ki", 0x1.0p10},
                                                           {"Mi", 0x1.0p20}, {"Gi", 0x1.0p30}, {"Ti", 0x1.0p40}};
  constexpr std::size_t length_max = 17;
  const std::size_t digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view digits = text.substr(0, digits_end);
  const auto* unit = std::ranges::find(units, text.substr(digits_end), &std::pair<std::string_view, double>::first);
  if (text.size() > length_max || digits.empty() || digits.front() == '.' || digits.back() == '.') return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && number > 0;
  if (!is_number || unit == std::end(units)) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(number * unit->second, 0x1.0p62));
}

}  // namespace carrack::train
