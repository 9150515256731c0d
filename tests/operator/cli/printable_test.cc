#include "operator/core/printable.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

TEST(Printable, EscapesControlCharactersAlone) {
  EXPECT_EQ(printable("two lines\n\tand höher, 東京"), "two lines\n\tand höher, 東京");
  EXPECT_EQ(printable("\x1b[2J\r\x7f"), "\\x1b[2J\\x0d\\x7f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "b"),
            "a\\x9bb")
      << "the terminal's other escape";
  EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
}

TEST(Printable, LeavesOutTheMiddleOfLongTextAndCutsNoCharacter) {
  EXPECT_EQ(printable(std::string(4096, 'a')), std::string(4096, 'a'));
  EXPECT_EQ(printable(std::string(900'000, 'a')),
            std::string(1024, 'a') + " ... 897952 bytes left out ... " + std::string(1024, 'a'));
  std::string wide = "a";
  while (wide.size() < 5000) wide += "ö";
  const std::string cut = printable(wide + "z");
  EXPECT_EQ(cut.substr(1021, 30), "ö ... 2956 bytes left out ...");
  EXPECT_EQ(cut.substr(cut.size() - 3), "öz");
}

TEST(Printable, KeepsToTheLengthThatIsAskedForWithoutCuttingACharacter) {
  EXPECT_EQ(printable(std::string(100, 'a'), 100), std::string(100, 'a'));
  EXPECT_EQ(printable(std::string(101, 'a'), 100),
            std::string(27, 'a') + " ... 47 bytes left out ... " + std::string(27, 'a'));
  for (std::size_t size = 100; size < 120; ++size) {
    std::string wide(size - 100, 'a');
    while (wide.size() < 4'000'000) wide += "東";
    const std::string cut = printable(wide, size);
    EXPECT_LE(cut.size(), size);
    EXPECT_EQ(cut.substr(cut.size() - 3), "東");
    EXPECT_EQ(printable(cut, size), cut);
  }
}

TEST(Printable, LeavesPrintableTextUnchanged) {
  const std::string once = printable(std::string(9000, '\x1b'));
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, JoinsTheLinesOfAMessage) {
  EXPECT_EQ(printable_joined("no luck"), "no luck");
  EXPECT_EQ(printable_joined("\nTraceback:\r\n  File \"fit.py\"\n\n \t\nError:\tno luck \x1b[2J \n"),
            "Traceback: | File \"fit.py\" | Error:\tno luck \\x1b[2J");
  EXPECT_EQ(printable_joined(" \n\n"), "");
  const std::string once = printable_joined("a\n\nb\n" + std::string(9000, 'x'));
  EXPECT_EQ(printable_joined(once), once);
}

TEST(Printable, EscapesLineEndsInALineOfALog) {
  EXPECT_EQ(printable_line("one\n2026-01-01 error: forged\tline"), "one\\x0a2026-01-01 error: forged\\x09line");
}

}  // namespace
}  // namespace carrack::control
