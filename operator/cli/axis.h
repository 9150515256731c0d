// The axes of a chart: the positions of values, and ticks at round numbers. Pure.
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
  // An axis for values from `low` to `high`, which must be finite. It is logarithmic if both are positive and more than
  // two decades apart. If they are nearly equal, the axis is a little longer and has them in its middle.
  static Axis of_values(double low, double high);
  // An axis for whole numbers. It begins at 0, unless more than half of it would lie below `first`.
  static Axis of_whole_numbers(std::uint64_t first, std::uint64_t last);

  bool is_logarithmic() const { return scale_ == Scale::logarithmic; }
  // From 0 to 1, also for a value that is not on the axis.
  double position(double value) const;
  // About `most` ticks in ascending order; at least one if `most` is 3 or more. The texts on a linear axis have the
  // digits that the distance of two ticks needs.
  std::vector<Tick> ticks(int most) const;

 private:
  enum class Scale : std::uint8_t { linear, logarithmic, steps };
  Axis(Scale scale, double low, double high) : scale_(scale), low_(low), high_(high) {}
  std::vector<Tick> decades(int most) const;

  Scale scale_;
  double low_, high_;
};

}  // namespace carrack::control
