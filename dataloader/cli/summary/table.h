// Aligns cells in columns, for reports. Pure.
#pragma once

#include <string>
#include <vector>

namespace carrack::data::cli {

using Row = std::vector<std::string>;

// Returns a line for each row, without spaces at its end. Rows may have different numbers of cells. Cells are UTF-8,
// and each character is taken to be one column wide.
std::string table(const std::vector<Row>& rows);

}  // namespace carrack::data::cli
