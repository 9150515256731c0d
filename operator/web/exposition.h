// Prometheus' text exposition format 0.0.4: families of samples as values, and their text. Pure.
// The text parses whatever is in label values and help: what the format treats apart is escaped. Names are the
// caller's, and must be names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carrack::control {

// How many of what was observed were at most as large as each bound.
class Histogram {
 public:
  explicit Histogram(std::vector<double> ascending_bounds);
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  // One more than bounds, not cumulated: the last is of what exceeds them all.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

enum class MetricType { counter, gauge, histogram };

struct Family {
  std::string name;
  MetricType type = MetricType::counter;
  std::string help;
  std::map<Labels, std::variant<double, Histogram>> samples;
};

inline constexpr std::string_view exposition_type = "text/plain; version=0.0.4; charset=utf-8";

std::string exposition(const std::vector<Family>& families);

}  // namespace carrack::control
