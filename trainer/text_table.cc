#include "trainer/text_table.h"

#include <algorithm>

namespace carrack::train {

std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment) {
  std::vector<std::size_t> widths;
  for (const TableLine& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string all;
  for (const TableLine& line : lines) {
    std::string one;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - line[i].size(), ' ');
      one += (i == 0 ? "" : "  ") + (alignment[i] == 'l' ? line[i] + blanks : blanks + line[i]);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    all += one + "\n";
  }
  return all;
}

}  // namespace carrack::train
