#include "trainer/points.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "trainer/error.h"

namespace carrack::train {
namespace {

TEST(Points, ReadTheTextOfAnArmedPoint) {
  EXPECT_EQ(armed_point_from("ps.advance.before:1:kill"), (ArmedPoint{"ps.advance.before", 1, SIGKILL, ""}));
  EXPECT_EQ(armed_point_from("a:18446744073709551615:stop"), (ArmedPoint{"a", 18446744073709551615u, SIGSTOP, ""}));
  EXPECT_EQ(armed_point_from("a:2:stop:/tmp/a b:c"), (ArmedPoint{"a", 2, SIGSTOP, "/tmp/a b:c"}));
}

TEST(Points, RefuseEveryOtherText) {
  for (const std::string text :
       {"", ":", "::", "a", "a:1", "a:1:", ":1:kill", "a:0:kill", "a:-1:kill", "a:+1:kill", "a: 1:kill", "a:1x:kill",
        "a::kill", "a:18446744073709551616:kill", "a:1:term", "a:1:KILL", "a:1:kill ", "a:1:kill:"}) {
    try {
      armed_point_from(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "CARRACK_TEST_POINT: expects NAME:PASSING:kill|stop[:FILE], not '" + text + "'");
      EXPECT_EQ(error.blame(), Blame::user);
    }
  }
}

void pass_three_times() {
  for (int i = 0; i < 3; ++i) {
    fprintf(stderr, "<%d", i);
    const CrashPoint point("here");
    fprintf(stderr, ">");
  }
  fprintf(stderr, " end");
  _exit(0);
}

TEST(PointsDeathTest, KillTheProcessAtTheArmedPassing) {
  const auto armed = [](const char* text) {
    arm(armed_point_from(text));
    pass_three_times();
  };
  EXPECT_EXIT(armed("here.before:1:kill"), testing::KilledBySignal(SIGKILL), "^<0$");
  EXPECT_EXIT(armed("here.after:1:kill"), testing::KilledBySignal(SIGKILL), "^<0>$");
  EXPECT_EXIT(armed("here.before:3:kill"), testing::KilledBySignal(SIGKILL), "^<0><1><2$");
  EXPECT_EXIT(armed("here.after:4:kill"), testing::ExitedWithCode(0), "end$");
  EXPECT_EXIT(armed("here:1:kill"), testing::ExitedWithCode(0), "end$");
  EXPECT_EXIT(armed("ere.before:1:kill"), testing::ExitedWithCode(0), "end$");
}

TEST(PointsDeathTest, CountPassingsWhileTheFileExists) {
  const auto armed = [](const char* text) {
    arm(armed_point_from(text));
    pass_three_times();
  };
  EXPECT_EXIT(armed("here.before:1:kill:/"), testing::KilledBySignal(SIGKILL), "^<0$");
  EXPECT_EXIT(armed("here.before:1:kill:/nowhere"), testing::ExitedWithCode(0), "end$");
}

}  // namespace
}  // namespace carrack::train
