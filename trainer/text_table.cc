#include "trainer/text_table.h"

#include <algorithm>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

// Returns the number of characters of a text in UTF-8. Bytes of the form 10xxxxxx only continue a character, so they do
// not count.
std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<TableLine>& lines, std::string_view alignment) {
  std::vector<std::size_t> widths;
  for (const TableLine& line : lines) {
    CHECK_LE(line.size(), alignment.size());
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], characters_in(line[i]));
  }
  std::string all;
  for (const TableLine& line : lines) {
    std::string one;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - characters_in(line[i]), ' ');
      one += (i == 0 ? "" : "  ") + (alignment[i] == 'l' ? line[i] + blanks : blanks + line[i]);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    all += one + "\n";
  }
  return all;
}

}  // namespace carrack::train
