// The axes of a chart: where a value lies, and the round numbers that stand beside. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carrack::control {

struct Tick {
  double position = 0;  // 0 at the lower end of the axis, 1 at the upper
  std::string text;
};

class Axis {
 public:
  // For values from `low` to `high`, which are finite. Logarithmic if both are positive and more than two decades
  // apart. Values that are nearly equal get an axis that is a little longer, so that they lie in its middle.
  static Axis of_values(double low, double high);
  // For whole numbers. From 0, if that takes at most half of the axis.
  static Axis of_steps(std::uint64_t first, std::uint64_t last);

  bool is_logarithmic() const { return scale_ == Scale::logarithmic; }
  // From 0 to 1.
  double position(double value) const;
  // Some `most` of them, in their order, at least one if `most` is 3 or more. Those of a linear axis have the same
  // digits behind the point.
  std::vector<Tick> ticks(int most) const;

 private:
  enum class Scale : std::uint8_t { linear, logarithmic, steps };
  Axis(Scale scale, double low, double high) : scale_(scale), low_(low), high_(high) {}
  std::vector<Tick> decades(int most) const;

  Scale scale_;
  double low_, high_;
};

}  // namespace carrack::control
