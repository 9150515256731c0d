#include "dataloader/http/pace.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

constexpr Pace::Clock::time_point start{};

TEST(Pace, IsKeptByWhoBringsEnoughInEachWindow) {
  Pace pace(milliseconds(100), 1000);
  for (int ms = 0; ms < 1000; ms += 10) EXPECT_TRUE(pace.add(101, start + milliseconds(ms))) << ms;
}

TEST(Pace, IsNotKeptByWhoBringsAFewNowAndThen) {
  Pace pace(milliseconds(100), 1000);
  for (int ms = 0; ms < 100; ms += 10) EXPECT_TRUE(pace.add(90, start + milliseconds(ms))) << ms;
  EXPECT_FALSE(pace.add(90, start + milliseconds(100)));
}

TEST(Pace, IsNotKeptByWhatCameInAWindowBefore) {
  Pace pace(milliseconds(100), 1000);
  EXPECT_TRUE(pace.add(1'000'000, start));
  EXPECT_TRUE(pace.add(1, start + milliseconds(100)));
  EXPECT_FALSE(pace.add(1, start + milliseconds(200)));
}

TEST(Pace, BeginsWithTheFirstByte) {
  Pace pace(milliseconds(100), 1000);
  EXPECT_TRUE(pace.add(1, start + milliseconds(5000)));
  EXPECT_TRUE(pace.add(1, start + milliseconds(5099)));
  EXPECT_FALSE(pace.add(1, start + milliseconds(5100)));
}

}  // namespace
}  // namespace carrack::data
