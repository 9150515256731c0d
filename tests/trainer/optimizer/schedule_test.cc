#include "trainer/optimizer/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace carrack::train {
namespace {

constexpr double near = 1e-14;

TEST(Schedule, IsConstantByDefault) {
  for (const std::int64_t step : {1, 2, 1'000'000'000}) EXPECT_EQ(rate_factor(Schedule(), step), 1);
}

TEST(Schedule, WarmsUpInEqualSteps) {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::linear, ScheduleKind::cosine}) {
    const Schedule schedule{kind, 100, 0.5, 4};
    EXPECT_EQ(rate_factor(schedule, 1), 0.25);
    EXPECT_EQ(rate_factor(schedule, 3), 0.75);
    EXPECT_EQ(rate_factor(schedule, 4), 1);
    EXPECT_NEAR(rate_factor(schedule, 5), 1, near) << "the decay begins";
  }
}

TEST(Schedule, StaysAtItsFinalFraction) {
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine, ScheduleKind::exponential}) {
    const Schedule schedule{kind, 50, 0.3, 10};
    EXPECT_GT(rate_factor(schedule, 50), 0.3);
    EXPECT_EQ(rate_factor(schedule, 51), 0.3);
    EXPECT_EQ(rate_factor(schedule, 1'000'000), 0.3);
  }
}

TEST(Schedule, DecaysByItsFormula) {
  constexpr std::int64_t steps = 1003, warmup = 7;
  for (const double last : {1e-30, 1e-3, 0.1, 1.0}) {
    for (std::int64_t step = warmup + 1; step <= steps; ++step) {
      const double t = static_cast<double>(step - 1 - warmup) / (steps - warmup);
      const auto factor = [&](ScheduleKind kind) { return rate_factor({kind, steps, last, warmup}, step); };
      ASSERT_NEAR(factor(ScheduleKind::linear), 1 - (1 - last) * t, near) << step;
      ASSERT_NEAR(factor(ScheduleKind::cosine), last + (1 - last) * (1 + std::cos(std::numbers::pi * t)) / 2, near)
          << step;
      ASSERT_NEAR(factor(ScheduleKind::exponential) / std::pow(last, t), 1, near) << step;
    }
  }
}

// A machine that gives other bits would train another model.
TEST(Schedule, HasTheSameBitsOnAnyMachine) {
  EXPECT_EQ(rate_factor({ScheduleKind::linear, 10, 0.1, 3}, 6), 0x1.7c57c57c57c58p-1);
  EXPECT_EQ(rate_factor({ScheduleKind::cosine, 10, 0.1, 3}, 6), 0x1.a940865f22b05p-1);
  EXPECT_EQ(rate_factor({ScheduleKind::exponential, 10, 0.1, 3}, 6), 0x1.093069178d376p-1);
  EXPECT_EQ(rate_factor({ScheduleKind::constant, 0, 0, 3}, 1), 0x1.5555555555555p-2);
}

TEST(Schedule, TakesTheLongestJobs) {
  constexpr std::int64_t last = 9'223'372'036'854'775'807;
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine, ScheduleKind::exponential}) {
    EXPECT_NEAR(rate_factor({kind, last, 1e-30, last - 1}, last), 1, near);
    EXPECT_NEAR(rate_factor({kind, last, 1e-30, 0}, 2), 1, near);
  }
}

}  // namespace
}  // namespace carrack::train
