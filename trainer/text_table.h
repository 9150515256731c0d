// Aligns the columns of a table for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

using TableLine = std::vector<std::string>;

// Returns the lines, each with a line feed, with two blanks between columns. A column is as wide as its longest text,
// in characters of UTF-8; blanks at the end of a line are left out. `alignment` has a letter for each column, `l` for
// left or `r` for right. A line may have fewer columns, but not more, which fails a CHECK.
std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment);

}  // namespace carrack::train
