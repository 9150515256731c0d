// Prometheus' text exposition format 0.0.4: families of samples and their text. Pure.
// Label values and help texts may hold any bytes and are escaped. Names are not checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carrack::control {

// Counts observed values by upper bounds. A value that equals a bound counts there.
class Histogram {
 public:
  explicit Histogram(std::vector<double> ascending_bounds);
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  // One count for each bound, of the values above the bound before it, and a last count for values above all bounds.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

// Names and values.
using Labels = std::vector<std::pair<std::string, std::string>>;

struct Family {
  std::string name;
  std::string type;  // counter, gauge or histogram
  std::string help;
  std::map<Labels, std::variant<double, Histogram>> samples;  // Histograms only if `type` is histogram
};

// The Content-Type of the text.
inline constexpr std::string_view exposition_type = "text/plain; version=0.0.4; charset=utf-8";

// Leaves out families without samples.
std::string exposition(const std::vector<Family>& families);

}  // namespace carrack::control
