#include "operator/api_server/lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::control {
namespace {

const std::string text("one\n\ntwo \xff\r\n\0\nlast\n", 19);
const std::vector<std::string> expected{"one", "", "two \xff\r", std::string(1, '\0'), "last"};

struct Split {
  explicit Split(std::size_t longest) : lines(longest) {}
  LineSplitter::Result feed(std::string_view bytes) {
    return lines.feed(bytes, [&](std::string_view line) {
      seen.emplace_back(line);
      return seen.back() != "stop";
    });
  }
  LineSplitter lines;
  std::vector<std::string> seen;
};

TEST(Lines, AreTheSameWhereverTheBytesAreSplit) {
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Split split(8);
      EXPECT_EQ(split.feed(text.substr(0, first)), LineSplitter::Result::more);
      EXPECT_EQ(split.feed(text.substr(first, second - first)), LineSplitter::Result::more);
      EXPECT_EQ(split.feed(text.substr(second)), LineSplitter::Result::more);
      EXPECT_EQ(split.seen, expected) << first << " " << second;
      EXPECT_FALSE(split.lines.has_partial_line());
    }
  }
}

TEST(Lines, EndWhenNoMoreAreWanted) {
  Split split(8);
  EXPECT_EQ(split.feed("a\nst"), LineSplitter::Result::more);
  EXPECT_TRUE(split.lines.has_partial_line());
  EXPECT_EQ(split.feed("op\nb\n"), LineSplitter::Result::ended);
  EXPECT_EQ(split.seen, (std::vector<std::string>{"a", "stop"}));
}

TEST(Lines, AreBoundedHoweverTheyCome) {
  for (std::size_t first = 0; first <= 9; ++first) {
    Split split(8);
    const std::string nine = "123456789\n";
    const LineSplitter::Result begun = split.feed(nine.substr(0, first));
    EXPECT_EQ(begun == LineSplitter::Result::more ? split.feed(nine.substr(first)) : begun,
              LineSplitter::Result::too_long)
        << first;
    EXPECT_EQ(split.seen, std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace carrack::control
