// Aligns the columns of a table for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

using TableLine = std::vector<std::string>;

// Returns the lines, each ended by a line feed, with two blanks between columns. A column is as wide as its longest
// text in characters of UTF-8, each of which is taken to be one column of the terminal wide. Blanks at the end of a
// line are left out. `alignment` has one letter for each column: `l` for left, `r` for right. A line may have fewer
// columns than that; a CHECK fails if it has more.
std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment);

}  // namespace carrack::train
