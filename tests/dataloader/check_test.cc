#include "dataloader/check.h"

#include <gtest/gtest.h>

namespace carrack {
namespace {

enum class Colour { red, green };

TEST(Check, EndsTheProcessWithFileLineAndValues) {
  const int few = 2;
  EXPECT_DEATH(CHECK(few > 3), R"(check_test\.cc:[0-9]+: CHECK failed: few > 3)");
  EXPECT_DEATH(CHECK_EQ(few + 1, 4), R"(check_test\.cc:[0-9]+: CHECK failed: few \+ 1 == 4 \(3 and 4\))");
  EXPECT_DEATH(CHECK_NE(Colour::red, Colour::red), R"(Colour::red != Colour::red \(0 and 0\))");
}

TEST(Check, PassesWhatHoldsAndEvaluatesEachOperandOnce) {
  int evaluated = 0;
  CHECK(++evaluated == 1);
  CHECK_LT(++evaluated, 3);
  EXPECT_EQ(evaluated, 2);
}

}  // namespace
}  // namespace carrack
