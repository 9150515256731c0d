// Formats a table of text for the reports of `carrack data`. Pure.
#pragma once

#include <string>
#include <vector>

namespace carrack::data::cli {

using Row = std::vector<std::string>;  // cells, from left to right

// Returns a line for each row; each ends with a newline, and has no spaces at its end. Columns are aligned to the left,
// with two spaces between them. Rows may have different numbers of cells. Cells are UTF-8, and each character counts as
// one column wide.
std::string table(const std::vector<Row>& rows);

}  // namespace carrack::data::cli
