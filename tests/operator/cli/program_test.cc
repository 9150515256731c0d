#include "operator/cli/program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carrack::control {
namespace {

const Program ship{"ship", "usage: ship\n", {"sail", "moor"}};

Printed answer_to(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return answer_common(ship, pointers);
}

TEST(Program, PrintsItsVersion) {
  const Printed version = answer_to({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "ship " CARRACK_VERSION "\n");
  EXPECT_EQ(version.err, "");
}

TEST(Program, PrintsItsHelpToStandardOutputWhenAsked) {
  for (const char* asked : {"--help", "-h", "help"}) {
    const Printed help = answer_to({asked});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.out, ship.help);
    EXPECT_EQ(help.err, "");
  }
}

TEST(Program, PrintsItsHelpToStandardErrorWhenCalledBare) {
  const Printed help = answer_to({});
  EXPECT_EQ(help.exit_code, 2);
  EXPECT_EQ(help.out, "");
  EXPECT_EQ(help.err, ship.help);
}

TEST(Program, NamesTheArgumentThatItDoesNotKnowAndTheNearestThatItDoes) {
  const Printed unknown = answer_to({"sial"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_EQ(unknown.err, "ship: does not know 'sial'; did you mean 'sail'?; `ship --help` lists what it does\n");
  EXPECT_EQ(answer_to({"--versoin"}).err,
            "ship: does not know '--versoin'; did you mean '--version'?; `ship --help` lists what it does\n");
  EXPECT_EQ(answer_to({"\x1b"}).err,
            "ship: does not know '\\x1b'; there are sail, moor, --version, --help; `ship --help` lists what it does\n");
}

TEST(Program, NamesTheArgumentThatIsTooMany) {
  const Printed two = answer_to({"--version", "--colour"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_EQ(two.out, "");
  EXPECT_EQ(two.err, "ship: does not know '--colour'; `ship --help` lists what it does\n");
}

}  // namespace
}  // namespace carrack::control
