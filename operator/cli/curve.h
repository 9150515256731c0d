// Draws curves and their axes as text, for `carrack plot` and `carrack run` (run_chart.h): a loss over steps, for
// instance. In ASCII:
//   1.0 +                 .'
//       |            .''
//   0.0 +.....''
//       ++--------+--------+
//        0        50     100
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/axis.h"

namespace carrack::control {

struct Curve {
  // `line`: neighbouring points are connected. `marks`: one character for each point.
  enum class Kind : std::uint8_t { line, marks };

  Kind kind = Kind::line;
  char mark = 'o';                                // with Kind::marks, that character; printable ASCII
  std::vector<std::pair<double, double>> points;  // x and y, ascending in x; a y that is not finite leaves a gap
};

struct ChartSize {
  int width = 80;  // the width of the whole chart, in characters; at least 20
  int rows = 16;   // the lines of the part with the curves; at least 8
};

enum class Charset : std::uint8_t { ascii, utf8 };

// Returns size.rows lines with the curves, a line with the x axis, which is exactly size.width wide, and a line with
// its numbers: size.rows + 2 in all, without line breaks. No line is wider than size.width. Points beyond an axis are
// drawn at its end. No x may be NaN, and on a logarithmic axis no value may be negative. Where curves overlap, marks
// hide lines, and later marks hide earlier ones. In UTF-8, curves of Kind::line are drawn with braille, eight dots in a
// character.
std::vector<std::string> draw_chart(const std::vector<Curve>& curves, const Axis& x, const Axis& y,
                                    const ChartSize& size, Charset charset);

// Returns how a curve of Kind::line looks, two characters wide, for a legend: ".'" in ASCII.
std::string sample_of_line(Charset charset);

}  // namespace carrack::control
