#include "dataloader/storage/remote/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

std::vector<milliseconds> delays(const RetryLimits& limits, std::uint64_t seed) {
  Backoff backoff(limits, seed);
  std::vector<milliseconds> all;
  while (const auto delay = backoff.next()) all.push_back(*delay);
  return all;
}

TEST(Backoff, GrowsFourfoldUpToTheLongestAndEnds) {
  const std::vector<milliseconds> all = delays({6, milliseconds(100), milliseconds(500)}, 1);
  const std::vector<milliseconds> due{milliseconds(100), milliseconds(400), milliseconds(500), milliseconds(500),
                                      milliseconds(500)};
  ASSERT_EQ(all.size(), due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_GE(all[i], due[i] / 2) << i;
    EXPECT_LE(all[i], due[i]) << i;
  }
}

TEST(Backoff, WaitsDifferentTimesForDifferentSeeds) {
  EXPECT_EQ(delays({}, 1), delays({}, 1));
  EXPECT_NE(delays({}, 1), delays({}, 2));
}

TEST(Backoff, CountsAnewAfterProgress) {
  Backoff backoff({3, milliseconds(100), milliseconds(1000)}, 1);
  EXPECT_TRUE(backoff.next());
  EXPECT_TRUE(backoff.next());
  backoff.progressed();
  EXPECT_LE(backoff.next().value(), milliseconds(100));
  EXPECT_TRUE(backoff.next());
  EXPECT_FALSE(backoff.next());
  EXPECT_EQ(backoff.failed(), 3);
}

}  // namespace
}  // namespace carrack::data
