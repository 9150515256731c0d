// Formats metrics as text for Prometheus (exposition format 0.0.4), for the /metrics page of the operator. Label values
// and help texts may contain any bytes, and are escaped. Names are not checked. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carrack::control {

// Counts observed values by upper bounds, as a histogram of Prometheus. A value that equals a bound is counted at that
// bound. Not thread-safe.
class Histogram {
 public:
  explicit Histogram(std::vector<double> ascending_bounds);
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  // Returns for each bound the number of values up to it and above the previous bound, and last the number of values
  // above all bounds. Not cumulative, unlike the text: with bounds 1 and 5, the values 1, 2 and 9 give {1, 1, 1}.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

// The names and values of a sample's labels: {{"verb", "list"}, {"code", "200"}}.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The samples of one metric.
struct Family {
  std::string name;
  std::string type;  // counter, gauge or histogram
  std::string help;
  std::map<Labels, std::variant<double, Histogram>> samples;  // Histograms if `type` is histogram, otherwise doubles
};

// The Content-Type of the text.
inline constexpr std::string_view exposition_type = "text/plain; version=0.0.4; charset=utf-8";

// Returns the text of the families, in this order, without those that have no samples:
//   # HELP carrack_jobs TrainingJobs by state.
//   # TYPE carrack_jobs gauge
//   carrack_jobs{state="Running"} 3
std::string exposition(const std::vector<Family>& families);

}  // namespace carrack::control
