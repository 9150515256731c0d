#include "trainer/history/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace carrack::history {
namespace {

// The steps that are recorded of a run of so many, each of which takes so long.
std::vector<std::uint64_t> recorded_of(std::uint64_t steps, double step_seconds) {
  Sampling sampling(1);
  std::vector<std::uint64_t> recorded;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const double now = 1e9 + static_cast<double>(step) * step_seconds;
    if (!sampling.is_due(step, now) && step < steps) continue;
    sampling.recorded(step, now);
    recorded.push_back(step);
  }
  return recorded;
}

TEST(Sampling, RecordsEverySlowStepOfAShortRun) {
  EXPECT_EQ(recorded_of(512, 1).size(), 512);
}

TEST(Sampling, GrowsWithTheLogarithmOfTheSteps) {
  EXPECT_LE(recorded_of(1'000'000, 1).size(), 512 + 512 * std::log(1'000'000 / 512.0) + 1);
}

TEST(Sampling, LeavesNoGapAboveAFractionOfAllSteps) {
  for (const std::uint64_t steps : {600, 1'000, 5'000, 100'000}) {
    const std::vector<std::uint64_t> recorded = recorded_of(steps, 1);
    EXPECT_GE(recorded.size(), 500) << steps;
    for (std::size_t i = 1; i < recorded.size(); ++i) {
      ASSERT_LE(recorded[i] - recorded[i - 1], (steps + 511) / 512) << "behind step " << recorded[i - 1];
    }
  }
}

TEST(Sampling, RecordsAtMostOnePointEachInterval) {
  EXPECT_LE(recorded_of(10'000, 0.001).size(), 11);
  Sampling fast(0.25);
  fast.recorded(1, 100);
  EXPECT_FALSE(fast.is_due(2, 100.2));
  EXPECT_TRUE(fast.is_due(2, 100.25));
}

TEST(Sampling, WaitsForTheStepsThatARunHasToAdvance) {
  Sampling sampling(1);
  EXPECT_TRUE(sampling.is_due(0, 0)) << "with nothing recorded";
  sampling.recorded(1025, 100);
  EXPECT_FALSE(sampling.is_due(1025, 1e6));
  EXPECT_FALSE(sampling.is_due(1027, 1e6)) << "1025 / 512 is rounded up";
  EXPECT_TRUE(sampling.is_due(1028, 1e6));
  EXPECT_FALSE(sampling.is_due(1028, 100.5));
}

TEST(Sampling, IsNotDelayedByAClockThatWasSetBack) {
  Sampling sampling(1);
  sampling.recorded(5, 1000);
  EXPECT_TRUE(sampling.is_due(6, 10));
}

TEST(Sampling, BeginsAnewBehindACommitThatARunGoesOnFrom) {
  Sampling sampling(1);
  sampling.recorded(500, 1000);
  EXPECT_TRUE(sampling.is_due(301, 1000.1));
  sampling.recorded(301, 1000.1);
  EXPECT_FALSE(sampling.is_due(302, 1000.2));
  EXPECT_TRUE(sampling.is_due(302, 1001.2));
}

TEST(Sampling, TakesTheLargestSteps) {
  Sampling sampling(1);
  sampling.recorded(~std::uint64_t{0}, 1);
  EXPECT_FALSE(sampling.is_due(~std::uint64_t{0}, 10));
}

}  // namespace
}  // namespace carrack::history
