#include "operator/cli/program.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

constexpr Program ship{"ship", "usage: ship\n"};

TEST(Program, AsksForNothingElseWhenItPrintsItsVersion) {
  const Answer version = answer(ship, "--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "ship " CARRACK_VERSION "\n");
  EXPECT_EQ(version.err, "");
}

TEST(Program, PrintsItsHelpToStandardOutputWhenAsked) {
  const Answer help = answer(ship, "--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out, ship.help);
}

TEST(Program, PrintsItsHelpToStandardErrorWhenCalledBare) {
  const Answer help = answer(ship, "");
  EXPECT_EQ(help.exit_code, 2);
  EXPECT_EQ(help.out, "");
  EXPECT_EQ(help.err, ship.help);
}

TEST(Program, NamesTheArgumentThatItDoesNotKnow) {
  const Answer unknown = answer(ship, "sial");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "ship: does not know 'sial'; `ship --help` lists what it does\n");
}

}  // namespace
}  // namespace carrack::control
