// Rows of cells as lines of text whose columns stand below each other. Pure.
#pragma once

#include <string>
#include <vector>

namespace carrack::data::cli {

using Row = std::vector<std::string>;

// A line a row, without blanks at its end; the cells are UTF-8.
std::string table(const std::vector<Row>& rows);

}  // namespace carrack::data::cli
