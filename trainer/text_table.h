// Aligns the columns of a table for a terminal, for commands such as `carrack plan` and `carrack step`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::train {

using TableLine = std::vector<std::string>;

// Returns the lines as one text: text_table({{"name", "size"}, {"w", "8"}}, "lr") -> "name  size\nw        8\n". Each
// line ends with a line feed, and two blanks separate columns. A column is as wide as its longest text, counted in
// Unicode characters. Blanks at the end of a line are left out. `alignment` has one letter for each column: `l` for
// left, `r` for right. A line may have fewer columns than that. With more columns a CHECK fails, which ends the
// process. Returns an empty text without lines.
std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment);

}  // namespace carrack::train
