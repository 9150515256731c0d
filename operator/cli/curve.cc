#include "operator/cli/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace carrack::control {
namespace {

// The position of a dot on a canvas, counted from the upper left.
struct Dot {
  int x = 0, y = 0;
};

// Draws dots into rows of characters. In UTF-8 a character (braille) is 2 dots wide and 4 dots high. In ASCII it is 1
// dot wide and 2 dots high.
class Canvas {
 public:
  Canvas(int columns, int rows, Charset charset)
      : columns_(columns),
        rows_(rows),
        across_(charset == Charset::utf8 ? 2 : 1),
        down_(charset == Charset::utf8 ? 4 : 2),
        charset_(charset),
        cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  // Returns the dot for positions from 0 to 1 on the x axis and the y axis.
  Dot dot(double x, double y) const {
    return {static_cast<int>(std::lround(x * (columns_ * across_ - 1))),
            static_cast<int>(std::lround((1 - y) * (rows_ * down_ - 1)))};
  }

  void set(Dot dot) {
    // The bit of each dot in a braille character: row by row, from the upper left.
    constexpr std::array<unsigned, 8> braille{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
    const int number = dot.y % down_ * across_ + dot.x % across_;
    cell(dot).dots |= charset_ == Charset::utf8 ? braille.at(static_cast<std::size_t>(number)) : 1U << number;
  }
  void set_mark(Dot dot, char mark) { cell(dot).mark = mark; }

  void set_line(Dot from, Dot to) {
    const int count = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
    for (int i = 0; i <= count; ++i) {
      const auto between = [&](int a, int b) { return a + static_cast<int>(std::lround(double(b - a) * i / count)); };
      set({between(from.x, to.x), between(from.y, to.y)});
    }
  }

  // Returns the text of a row, without spaces at its end.
  std::string row(int number) const {
    std::string text;
    for (int column = 0; column < columns_; ++column) text += text_of(cells_[index(column, number)]);
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  int row_of(double y) const { return dot(0, y).y / down_; }
  int column_of(double x) const { return dot(x, 0).x / across_; }

 private:
  struct Cell {
    unsigned dots = 0;
    char mark = 0;
  };

  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  Cell& cell(Dot dot) { return cells_[index(dot.x / across_, dot.y / down_)]; }

  std::string text_of(const Cell& cell) const {
    if (cell.mark != 0) return std::string(1, cell.mark);
    if (cell.dots == 0) return " ";
    if (charset_ == Charset::ascii) return std::string(1, " '.:"[cell.dots]);
    // The UTF-8 bytes of the braille character U+2800 + dots.
    return {'\xe2', static_cast<char>(0xa0 | cell.dots >> 6), static_cast<char>(0x80 | (cell.dots & 0x3f))};
  }

  int columns_, rows_, across_, down_;
  Charset charset_;
  std::vector<Cell> cells_;
};

struct Glyphs {
  std::string_view side, side_tick, corner, bottom, bottom_tick;
};

Glyphs glyphs_of(Charset charset) {
  if (charset == Charset::ascii) return {"|", "+", "+", "-", "+"};
  return {"\u2502", "\u2524", "\u2514", "\u2500", "\u252c"};
}

// Draws one curve. A value that is not finite leaves a gap in a line.
void draw(const Curve& curve, const Axis& x, const Axis& y, Canvas& canvas) {
  std::optional<Dot> before;
  for (const auto& [at, value] : curve.points) {
    if (!std::isfinite(value)) {
      before.reset();
      continue;
    }
    const Dot dot = canvas.dot(x.position(at), y.position(value));
    if (curve.kind == Curve::Kind::marks) {
      canvas.set_mark(dot, curve.mark);
    } else {
      canvas.set_line(before.value_or(dot), dot);
      before = dot;
    }
  }
}

// The numbers below the x axis.
struct Numbers {
  std::string line;
  std::vector<int> columns;  // the columns of the canvas below which there is a number
};

// Returns the numbers of the ticks; nullopt if they do not fit next to each other. `left` is the number of characters
// left of the canvas, and `width` is the number of characters in a line of the whole chart.
std::optional<Numbers> numbers_of(const std::vector<Tick>& ticks, int left, int width, const Canvas& canvas) {
  constexpr std::size_t gap = 2;
  Numbers numbers;
  for (const Tick& tick : ticks) {
    const int length = static_cast<int>(tick.text.size());
    if (length > width) return std::nullopt;
    const int column = canvas.column_of(tick.position);
    const int begin = std::clamp(left + column - (length - 1) / 2, 0, width - length);
    if (!numbers.line.empty() && static_cast<std::size_t>(begin) < numbers.line.size() + gap) return std::nullopt;
    numbers.line.resize(static_cast<std::size_t>(begin), ' ');
    numbers.line += tick.text;
    numbers.columns.push_back(column);
  }
  return numbers;
}

// Tries fewer and fewer ticks until their numbers fit. Returns empty Numbers if not even one number fits.
Numbers numbers_below(const Axis& x, int left, int width, const Canvas& canvas) {
  for (int most = std::max(width / 16, 2); most > 0; --most) {
    if (auto numbers = numbers_of(x.ticks(most), left, width, canvas)) return *std::move(numbers);
  }
  return {};
}

}  // namespace

std::vector<std::string> draw_chart(const std::vector<Curve>& curves, const Axis& x, const Axis& y,
                                    const ChartSize& size, Charset charset) {
  const Glyphs glyphs = glyphs_of(charset);
  const std::vector<Tick> ticks = y.ticks(std::max(size.rows / 4, 3));
  std::size_t label = 0;
  for (const Tick& tick : ticks) label = std::max(label, tick.text.size());
  const int left = static_cast<int>(label) + 2;
  Canvas canvas(size.width - left, size.rows, charset);
  for (const Curve& curve : curves) draw(curve, x, y, canvas);

  std::vector<std::string> lines;
  for (int row = 0; row < size.rows; ++row) {
    const auto tick = std::ranges::find_if(ticks, [&](const Tick& one) { return canvas.row_of(one.position) == row; });
    const std::string text = tick == ticks.end() ? "" : tick->text;
    lines.push_back(std::string(label - text.size(), ' ') + text + " ");
    lines.back() += std::string(tick == ticks.end() ? glyphs.side : glyphs.side_tick) + canvas.row(row);
  }
  const Numbers numbers = numbers_below(x, left, size.width, canvas);
  std::string axis = std::string(label + 1, ' ') + std::string(glyphs.corner);
  for (int column = 0; column < size.width - left; ++column) {
    const bool has_number = std::ranges::find(numbers.columns, column) != numbers.columns.end();
    axis += has_number ? glyphs.bottom_tick : glyphs.bottom;
  }
  lines.push_back(axis);
  lines.push_back(numbers.line);
  return lines;
}

std::string sample_of_line(Charset charset) {
  return charset == Charset::ascii ? ".'" : "\u2824\u2812";
}

}  // namespace carrack::control
