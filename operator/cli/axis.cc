#include "operator/cli/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dataloader/text.h"

namespace carrack::control {
namespace {

constexpr double decades_min = 2;      // an axis of more decades (powers of ten) is logarithmic
constexpr double nearly_equal = 1e-6;  // ends that differ by less, relative to the larger one, count as equal
constexpr double tiny = 1e-290;        // ends that differ by less count as equal: such numbers are too inexact

// A digit times a power of ten.
struct Round {
  int digit = 1;
  int power = 0;
  double value() const { return digit * std::pow(10.0, power); }
};

// Returns the smallest Round with digit 1, 2 or 5 that is not below `number`, which must be positive.
Round round_up(double number) {
  const int power = static_cast<int>(std::floor(std::log10(number)));
  for (const int digit : {1, 2, 5}) {
    if (const Round round{digit, power}; round.value() >= number) return round;
  }
  return {1, power + 1};
}

std::string formatted(const char* format, int digits, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

// Shortens an exponent: returns "1e5" for "1e+05".
std::string with_short_exponent(std::string text) {
  const std::size_t exponent = text.find('e');
  if (exponent == text.npos) return text;
  const bool is_negative = text[exponent + 1] == '-';
  const std::size_t first = std::min(text.find_first_not_of("+-0", exponent + 1), text.size() - 1);
  return text.substr(0, exponent + 1) + (is_negative ? "-" : "") + text.substr(first);
}

// Returns the text of a value on a linear axis, with so many digits that the texts of two values differ if the values
// differ by `step`. `magnitude` is the largest absolute value on the axis.
std::string value_text(double value, double magnitude, const Round& step) {
  if (magnitude >= 1e-3 && magnitude < 1e6) return formatted("%.*f", std::max(-step.power, 0), value);
  if (value == 0) return "0";
  const int digits = static_cast<int>(std::floor(std::log10(std::abs(value)))) - step.power;
  return with_short_exponent(formatted("%.*e", std::clamp(digits, 0, 8), value));
}

std::string text_of(const Round& number) {
  if (number.power < -3 || number.power > 5) return std::to_string(number.digit) + "e" + std::to_string(number.power);
  return formatted("%.*f", std::max(-number.power, 0), number.value());
}

}  // namespace

Axis Axis::of_values(double low, double high) {
  if (low > 0 && std::log10(high) - std::log10(low) > decades_min) return {Scale::logarithmic, low, high};
  const double magnitude = std::max(std::abs(low), std::abs(high));
  if (high - low > std::max(nearly_equal * magnitude, tiny)) return {Scale::linear, low, high};
  const double more = magnitude > tiny ? 0.1 * magnitude : 1;
  constexpr double largest = 1.7e308;
  return {Scale::linear, std::max(low - more, -largest), std::min(high + more, largest)};
}

Axis Axis::of_whole_numbers(std::uint64_t first, std::uint64_t last) {
  const auto low = first <= last / 2 || first == last ? 0 : static_cast<double>(first);
  return {Scale::steps, low, std::max(static_cast<double>(last), low + 1)};
}

double Axis::position(double value) const {
  // On a linear axis this computes with halves, because the difference of two large numbers may overflow.
  const auto place = [&](double at) { return is_logarithmic() ? std::log10(at) : at / 2; };
  return std::clamp((place(value) - place(low_)) / (place(high_) - place(low_)), 0.0, 1.0);
}

std::vector<Tick> Axis::ticks(int most) const {
  if (is_logarithmic()) return decades(most);
  Round step = round_up(high_ / most - low_ / most);
  if (scale_ == Scale::steps && step.power < 0) step = {1, 0};
  const double magnitude = std::max(std::abs(low_), std::abs(high_));
  std::vector<Tick> ticks;
  // A tick is a multiple of `step`. The multiples fit into 64 bits, because the ends of the axis are not nearly equal.
  const auto last = static_cast<std::int64_t>(std::floor(high_ / step.value()));
  for (auto number = static_cast<std::int64_t>(std::ceil(low_ / step.value())); number <= last; ++number) {
    const double value = number == 0 ? 0 : static_cast<double>(number) * step.value();  // 0 * infinity would be NaN
    ticks.push_back({position(value), scale_ == Scale::steps ? data::counted(static_cast<std::uint64_t>(value))
                                                             : value_text(value, magnitude, step)});
  }
  return ticks;
}

std::vector<Tick> Axis::decades(int most) const {
  const int first = static_cast<int>(std::ceil(std::log10(low_)));
  const int last = static_cast<int>(std::floor(std::log10(high_)));
  const int stride = (last - first) / most + 1;
  // If there are few decades, their middles are ticks, too: log10(3) is nearly 0.5.
  const bool has_middles = last - first < most;
  std::vector<Tick> ticks;
  const auto add = [&](const Round& number) {
    if (number.value() < low_ || number.value() > high_) return;
    ticks.push_back({position(number.value()), text_of(number)});
  };
  if (has_middles) add({3, first - 1});
  for (int power = first; power <= last; power += stride) {
    add({1, power});
    if (has_middles) add({3, power});
  }
  return ticks;
}

}  // namespace carrack::control
