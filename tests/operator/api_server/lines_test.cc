#include "operator/api_server/lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::control {
namespace {

const std::string text("one\n\ntwo \xff\r\n\0\nlast\n", 19);
const std::vector<std::string> expected{"one", "", "two \xff\r", std::string(1, '\0'), "last"};

struct Fed {
  explicit Fed(std::size_t longest) : lines(longest) {}
  Lines::Fed feed(std::string_view bytes) {
    return lines.feed(bytes, [&](std::string_view line) {
      seen.emplace_back(line);
      return seen.back() != "stop";
    });
  }
  Lines lines;
  std::vector<std::string> seen;
};

TEST(Lines, AreTheSameWhereverTheBytesAreSplit) {
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Fed fed(8);
      EXPECT_EQ(fed.feed(text.substr(0, first)), Lines::Fed::on);
      EXPECT_EQ(fed.feed(text.substr(first, second - first)), Lines::Fed::on);
      EXPECT_EQ(fed.feed(text.substr(second)), Lines::Fed::on);
      EXPECT_EQ(fed.seen, expected) << first << " " << second;
      EXPECT_FALSE(fed.lines.in_a_line());
    }
  }
}

TEST(Lines, EndWhenNoMoreAreWanted) {
  Fed fed(8);
  EXPECT_EQ(fed.feed("a\nst"), Lines::Fed::on);
  EXPECT_TRUE(fed.lines.in_a_line());
  EXPECT_EQ(fed.feed("op\nb\n"), Lines::Fed::ended);
  EXPECT_EQ(fed.seen, (std::vector<std::string>{"a", "stop"}));
}

TEST(Lines, AreBoundedHoweverTheyCome) {
  for (std::size_t first = 0; first <= 9; ++first) {
    Fed fed(8);
    const std::string nine = "123456789\n";
    const Lines::Fed begun = fed.feed(nine.substr(0, first));
    EXPECT_EQ(begun == Lines::Fed::on ? fed.feed(nine.substr(first)) : begun, Lines::Fed::too_long) << first;
    EXPECT_EQ(fed.seen, std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace carrack::control
