// One axis of a chart that `carrack plot` and `carrack run` draw in the terminal (curve.h): maps values to positions
// along the axis, and chooses round numbers to label it with. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carrack::control {

struct Tick {
  double position = 0;  // 0 at the lower end of the axis, 1 at the upper end
  std::string text;     // the number at this position: "0.25", "1e5" or, for whole numbers, "12,800"
};

class Axis {
 public:
  // Returns an axis from `low` to `high`, such as of a loss. Both must be finite, and low <= high. It is logarithmic if
  // both are positive and high > 100 * low. If they are nearly equal, the axis is longer and has them in its middle.
  static Axis of_values(double low, double high);
  // Returns a linear axis for whole numbers, such as steps, with ticks at whole numbers only. `first` <= `last`. It
  // ends at `last` (at 1 if that is 0). It begins at 0 if first <= last / 2 or both are equal, and at `first`
  // otherwise.
  static Axis of_whole_numbers(std::uint64_t first, std::uint64_t last);

  bool is_logarithmic() const { return scale_ == Scale::logarithmic; }
  // Returns the position of a value, from 0 to 1. A value beyond an end of the axis is at that end. NaN for NaN, and
  // for a negative value on a logarithmic axis.
  double position(double value) const;
  // Returns about `most` ticks or fewer, in ascending order: never more than `most` + 1, or twice as many on a
  // logarithmic axis. `most` must be at least 1; from 3 on there is at least one tick. The texts on a linear axis have
  // as many decimals as two neighbouring ticks need to differ.
  std::vector<Tick> ticks(int most) const;

 private:
  enum class Scale : std::uint8_t { linear, logarithmic, steps };
  Axis(Scale scale, double low, double high) : scale_(scale), low_(low), high_(high) {}
  std::vector<Tick> decades(int most) const;

  Scale scale_;
  double low_, high_;
};

}  // namespace carrack::control
