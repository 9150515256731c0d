// Aligns cells in columns, for reports. Pure.
#pragma once

#include <string>
#include <vector>

namespace carrack::data::cli {

using Row = std::vector<std::string>;

// One line for each row, with no spaces at its end. Cells are UTF-8, each character one column wide.
std::string table(const std::vector<Row>& rows);

}  // namespace carrack::data::cli
