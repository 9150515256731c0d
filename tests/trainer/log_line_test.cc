#include "trainer/launch/log_line.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

TEST(LastWords, AreWhatIsPrintedBesidesTheLog) {
  EXPECT_EQ(without_log_lines(""), "");
  EXPECT_EQ(without_log_lines("no file matches\n"), "no file matches");
  EXPECT_EQ(without_log_lines("log: a\nterminate called\nlog: b\n  what(): c\n\n"), "terminate called\n  what(): c");
  EXPECT_EQ(without_log_lines("no end"), "no end");
  EXPECT_EQ(without_log_lines(log_line("one line\nand what looks like another") + "\n"), "");
}

TEST(LastWords, BeginWithAWholeLine) {
  const std::string cut = std::string(termination_message_max - 5, 'x') + "\n";
  EXPECT_EQ(without_log_lines(cut + "why\n"), "why");
  EXPECT_EQ(without_log_lines(cut + "log: a\n"), "");
  const std::string alone = std::string(termination_message_max - 1, 'x');
  EXPECT_EQ(without_log_lines(alone + "\n"), alone) << "better than nothing";
  EXPECT_EQ(without_log_lines(alone.substr(5) + "\nwhy"), alone.substr(5) + "\nwhy") << "nothing is cut";
}

}  // namespace
}  // namespace carrack::train
