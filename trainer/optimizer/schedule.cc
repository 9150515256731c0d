#include "trainer/optimizer/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// Returns cos(pi t), for t from 0 to 1, with an error of at most 1e-15. It is the sine of pi (1/2 - t), computed by its
// Taylor series, because the library's cos() may round differently on another machine.
double cosine_of_half_turns(double t) {
  const double x = std::numbers::pi * (0.5 - t);
  double series = 1;
  for (int i = 12; i >= 1; --i) series = 1 - series * x * x / (2 * i * (2 * i + 1));
  return x * series;
}

// Returns base^t, for a base above 0 and t at least 0 and less than 1. For each binary digit of t that is 1, multiplies
// the result by a root of the base: the square root for the first digit, the fourth root for the second one, and so on.
// Square roots round in the same way on every machine; the library's pow() may not.
double power_of_fraction(double base, double t) {
  double result = 1;
  for (double root = std::sqrt(base); t > 0; root = std::sqrt(root)) {
    t *= 2;
    if (t < 1) continue;
    result *= root;
    t -= 1;
  }
  return result;
}

// Returns the factor of the learning rate. `done` is the part of the decay that is over, at least 0 and less than 1.
double decayed(ScheduleKind kind, double final_fraction, double done) {
  switch (kind) {
    case ScheduleKind::constant:
      return 1;
    case ScheduleKind::linear:
      return 1 - (1 - final_fraction) * done;
    case ScheduleKind::cosine:
      return final_fraction + (1 - final_fraction) * (1 + cosine_of_half_turns(done)) / 2;
    case ScheduleKind::exponential:
      return power_of_fraction(final_fraction, done);
  }
  throw Error(Blame::bug, "a schedule of no kind");
}

}  // namespace

double rate_factor(const Schedule& schedule, std::int64_t step) {
  if (step <= schedule.warmup_steps) return static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
  if (schedule.kind == ScheduleKind::constant) return 1;
  if (step > schedule.steps) return schedule.final_fraction;
  const auto decaying = static_cast<double>(schedule.steps - schedule.warmup_steps);
  return decayed(schedule.kind, schedule.final_fraction,
                 static_cast<double>(step - 1 - schedule.warmup_steps) / decaying);
}

}  // namespace carrack::train
