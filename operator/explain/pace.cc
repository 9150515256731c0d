#include "operator/explain/pace.h"

#include <cmath>
#include <string>

namespace carrack::control {
namespace {

constexpr seconds window{15};     // older steps do not count
constexpr seconds window_min{2};  // steps of a shorter time say nothing about the pace

}  // namespace

void Pace::add(std::int64_t step, Time now) {
  if (!seen_.empty() && step < seen_.back().step) seen_.clear();
  if (seen_.empty() || now > seen_.back().when) seen_.push_back({step, now});
  while (now - seen_.front().when > window) seen_.pop_front();
}

std::optional<double> Pace::steps_per_second() const {
  if (seen_.empty() || seen_.back().when - seen_.front().when < window_min) return std::nullopt;
  const auto steps = static_cast<double>(seen_.back().step - seen_.front().step);
  const auto took = static_cast<double>((seen_.back().when - seen_.front().when).count());
  if (steps == 0) return std::nullopt;
  return steps / took;
}

std::string duration_text(double duration_seconds) {
  constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  if (duration_seconds < 99.5) return whole(std::round(duration_seconds)) + " s";
  if (duration_seconds < 2 * hour) return whole(std::round(duration_seconds / minute)) + " min";
  if (duration_seconds < 2 * day)
    return whole(duration_seconds / hour) + " h " + whole(std::fmod(duration_seconds, hour) / minute) + " min";
  if (duration_seconds < 1000 * day) return whole(std::round(duration_seconds / day)) + " days";
  return "years";
}

}  // namespace carrack::control
