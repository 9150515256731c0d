// Aligns the columns of a table for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

using TableLine = std::vector<std::string>;

// Lines with two blanks between columns, which are as wide as their longest text. `alignment` has a letter for each
// column, `l` for left or `r` for right. Lines may have fewer columns than others.
std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment);

}  // namespace carrack::train
