#include "trainer/points.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "trainer/error.h"

namespace carrack::train {
namespace {

TEST(Points, ReadTheTextOfAnArmedPoint) {
  EXPECT_EQ(armed_point_from("ps.advance.before:1:kill"), (ArmedPoint{"ps.advance.before", 1, PointAction::kill, ""}));
  EXPECT_EQ(armed_point_from("a:18446744073709551615:stop"),
            (ArmedPoint{"a", 18446744073709551615u, PointAction::stop, ""}));
  EXPECT_EQ(armed_point_from("a:1:sleep"), (ArmedPoint{"a", 1, PointAction::sleep, ""}));
  EXPECT_EQ(armed_point_from("a:1:fail"), (ArmedPoint{"a", 1, PointAction::fail, ""}));
  EXPECT_EQ(armed_point_from("a:2:stop:/tmp/a b:c"), (ArmedPoint{"a", 2, PointAction::stop, "/tmp/a b:c"}));
}

TEST(Points, RefuseEveryOtherText) {
  for (const std::string text :
       {"", ":", "::", "a", "a:1", "a:1:", ":1:kill", "a:0:kill", "a:-1:kill", "a:+1:kill", "a: 1:kill", "a:1x:kill",
        "a::kill", "a:18446744073709551616:kill", "a:1:term", "a:1:KILL", "a:1:kill ", "a:1:kill:"}) {
    try {
      armed_point_from(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(),
                "CARRACK_TEST_POINT: expects NAME:PASSING:kill|stop|sleep|fail[:FILE], not '" + text + "'");
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

// Whether a thread of this process waits for something, as the kernel says: `ID (NAME) S ...`.
bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.substr(text.rfind(')') + 1).starts_with(" S");
}

// The others go on: one of them ends the process.
TEST(PointsDeathTest, PutOneThreadToSleep) {
  const auto one_sleeps = [] {
    arm(armed_point_from("here.before:2:sleep"));
    std::atomic<int> passed = 0;
    std::atomic<pid_t> id = 0;
    std::thread sleeper([&] {
      id = gettid();
      for (;;) {
        const CrashPoint point("here");
        ++passed;
      }
    });
    while (passed < 2 && !(passed == 1 && is_asleep(id))) std::this_thread::yield();
    _exit(passed);
  };
  EXPECT_EXIT(one_sleeps(), testing::ExitedWithCode(1), "");
}

TEST(PointsDeathTest, FailFromTheArmedPassingOn) {
  const auto results = [](const char* text) {
    arm(armed_point_from(text));
    int failed = 0;
    for (int i = 0; i < 4; ++i) failed = 2 * failed + (fails_at("here") ? 1 : 0);
    _exit(failed);
  };
  EXPECT_EXIT(results("here:1:fail"), testing::ExitedWithCode(15), "");
  EXPECT_EXIT(results("here:3:fail"), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(results("here:1:fail:/nowhere"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(results("there:1:fail"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(results("here:1:stop"), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace carrack::train
