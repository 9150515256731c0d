#include "dataloader/cli/summary/table.h"

#include <algorithm>

namespace carrack::data::cli {
namespace {

// Returns the number of UTF-8 characters: all bytes count except those that continue a character.
std::size_t display_width(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string table(const std::vector<Row>& rows) {
  constexpr const char* gap = "  ";
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i == 0 ? "" : gap) + row[i] + std::string(widths[i] - display_width(row[i]), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace carrack::data::cli
