// The axes of a chart: the positions of values, and ticks at round numbers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carrack::control {

struct Tick {
  double position = 0;  // 0 at the lower end of the axis, 1 at the upper end
  std::string text;     // the number at this position
};

class Axis {
 public:
  // An axis for values from `low` to `high`, which must be finite and in this order. It is logarithmic if both are
  // positive and more than two decades apart. If they are nearly equal, the axis is longer and has them in its middle.
  static Axis of_values(double low, double high);
  // A linear axis for whole numbers, `first` <= `last`. It begins at 0, unless more than half of it would lie below
  // `first`. If both are equal, it begins at 0.
  static Axis of_whole_numbers(std::uint64_t first, std::uint64_t last);

  bool is_logarithmic() const { return scale_ == Scale::logarithmic; }
  // Returns a position from 0 to 1. A value beyond an end of the axis is at that end. NaN for NaN, and for a negative
  // value on a logarithmic axis.
  double position(double value) const;
  // Returns ticks in ascending order: at most `most` + 1, or twice as many on a logarithmic axis; at least one if
  // `most` is 3 or more. `most` must be at least 1. The texts on a linear axis have the digits that the distance of two
  // ticks needs.
  std::vector<Tick> ticks(int most) const;

 private:
  enum class Scale : std::uint8_t { linear, logarithmic, steps };
  Axis(Scale scale, double low, double high) : scale_(scale), low_(low), high_(high) {}
  std::vector<Tick> decades(int most) const;

  Scale scale_;
  double low_, high_;
};

}  // namespace carrack::control
