#include "operator/cli/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace carrack::control {
namespace {

using testing::ElementsAre;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const Axis x = Axis::of_whole_numbers(0, 100), y = Axis::of_values(0, 1);

TEST(Curve, IsALineOfTwoDotsACharacterInAscii) {
  const Curve rising{.kind = Curve::Kind::line, .points = {{0, 0}, {100, 1}}};
  EXPECT_THAT(draw_chart({rising}, x, y, {24, 8}, Charset::ascii),
              ElementsAre("1.0 +                 .'",  //
                          "    |              .''",    //
                          "    |            .'",       //
                          "    |         ..'",         //
                          "0.5 +       .'",            //
                          "    |     .'",              //
                          "    |  .''",                //
                          "0.0 +.'",                   //
                          "    ++--------+--------+",  //
                          "     0        50     100"));
}

TEST(Curve, IsALineOfBrailleInUtf8) {
  const Curve rising{.kind = Curve::Kind::line, .points = {{0, 0}, {100, 1}}};
  EXPECT_THAT(draw_chart({rising}, x, y, {20, 8}, Charset::utf8),
              ElementsAre("1.0 ┤             ⡠⠊",  //
                          "    │           ⡠⠊",    //
                          "    │         ⢀⠔⠁",     //
                          "    │       ⢀⠔⠁",       //
                          "0.5 ┤     ⢀⠔⠁",         //
                          "    │   ⢀⠔⠁",           //
                          "    │  ⡠⠊",             //
                          "0.0 ┤⡠⠊",               //
                          "    └┬──────┬──────┬",  //
                          "     0      50   100"));
}

TEST(Curve, HasMarksInFrontOfLines) {
  const Curve flat{.kind = Curve::Kind::line, .points = {{0, 0}, {100, 0}}};
  const Curve marks{.kind = Curve::Kind::marks, .mark = 'o', .points = {{0, 0}, {50, 0}, {100, 1}}};
  const Curve best{.kind = Curve::Kind::marks, .mark = '*', .points = {{50, 0}}};
  const std::vector<std::string> lines = draw_chart({flat, marks, best}, x, y, {25, 8}, Charset::ascii);
  EXPECT_EQ(lines[0], "1.0 +                   o");
  EXPECT_EQ(lines[7], "0.0 +o.........*.........");
}

TEST(Curve, HasAGapWhereAValueIsNotFinite) {
  const Curve curve{.kind = Curve::Kind::line, .points = {{0, 0}, {20, 0}, {50, nan}, {80, 0}, {90, nan}, {100, 0}}};
  EXPECT_EQ(draw_chart({curve}, x, y, {25, 8}, Charset::ascii)[7], "0.0 +.....          .   .");
}

}  // namespace
}  // namespace carrack::control
