// Draws curves as lines of text, with their axes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/axis.h"

namespace carrack::control {

struct Curve {
  enum class Kind : std::uint8_t { line, marks };

  Kind kind = Kind::line;
  char mark = 'o';                                // the character of Kind::marks; printable ASCII
  std::vector<std::pair<double, double>> points;  // x and y, ascending in x; a y that is not finite leaves a gap
};

struct ChartSize {
  int width = 80;  // the width of the whole chart, in characters; at least 20
  int rows = 16;   // the lines of the part with the curves; at least 8
};

enum class Charset : std::uint8_t { ascii, utf8 };

// Returns size.rows lines with the curves, a line with the x axis, which is exactly size.width wide, and a line with
// its numbers. No line is wider. Points beyond an axis are drawn at its end. Where curves overlap, marks hide lines,
// and later marks hide earlier ones. In UTF-8, curves of Kind::line are drawn with braille, eight dots in a character.
std::vector<std::string> drawn(const std::vector<Curve>& curves, const Axis& x, const Axis& y, const ChartSize& size,
                               Charset charset);

// Returns a sample of a curve of Kind::line for a legend, two characters wide.
std::string sample_of_line(Charset charset);

}  // namespace carrack::control
