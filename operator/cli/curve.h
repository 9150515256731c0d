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
  char mark = 'o';                                // of marks
  std::vector<std::pair<double, double>> points;  // x and y, in the order of x. A y that is not finite leaves a gap
};

struct ChartSize {
  int width = 80;  // of all, in characters; at least 20
  int rows = 16;   // of the curves; at least 8
};

enum class Charset : std::uint8_t { ascii, utf8 };

// The curves, the later ones in front, then a line with the axis, which is exactly as wide as `size` says, and one with
// its numbers. No other line is wider. In UTF-8 a line is drawn with braille, eight dots in a character.
std::vector<std::string> drawn(const std::vector<Curve>& curves, const Axis& x, const Axis& y, const ChartSize& size,
                               Charset charset);

// What a line looks like, two characters wide.
std::string sample_of_line(Charset charset);

}  // namespace carrack::control
