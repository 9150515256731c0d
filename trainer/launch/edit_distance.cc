#include "trainer/launch/edit_distance.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace carrack::train {
namespace {

char in_lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string left, std::string right) {
  for (std::string* text : {&left, &right}) std::transform(text->begin(), text->end(), text->begin(), in_lower_case);
  // row[j] is the distance of the first i characters of `left` from the first j of `right`. `last` is the row of i - 1,
  // and `before` that of i - 2.
  std::vector<std::size_t> before, last, row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace carrack::train
