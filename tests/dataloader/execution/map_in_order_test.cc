#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dataloader/execution/parallel.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

TEST(MapInOrder, TakesResultsInOrderOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 7U, 64U}) {
    std::vector<std::size_t> taken;
    map_in_order(
        50, threads,
        [](std::size_t i) {
          std::this_thread::sleep_for(milliseconds(i % 3));
          return 2 * i;
        },
        [&](std::size_t i, std::size_t result) {
          EXPECT_EQ(result, 2 * i);
          taken.push_back(i);
        });
    ASSERT_EQ(taken.size(), 50U);
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i);
  }
}

TEST(MapInOrder, DoesNothingForNoItems) {
  map_in_order(
      0, 2, [](std::size_t) { return 0; }, [](std::size_t, int) { FAIL(); });
}

TEST(MapInOrder, BeginsFewItemsBehindASlowOne) {
  std::atomic<std::size_t> begun = 0;
  std::atomic<bool> first_done = false;
  map_in_order(
      100, 2,
      [&](std::size_t i) {
        if (i == 0) {
          std::this_thread::sleep_for(milliseconds(50));
          first_done = true;
        } else if (!first_done) {
          ++begun;
        }
        return i;
      },
      [](std::size_t, std::size_t) {});
  EXPECT_LE(begun, 8U);
}

TEST(MapInOrder, RethrowsTheFirstException) {
  std::size_t taken = 0;
  const auto work = [](std::size_t i) {
    if (i == 20) throw std::runtime_error("no");
    return i;
  };
  EXPECT_THROW(map_in_order(1000, 3, work, [&](std::size_t, std::size_t) { ++taken; }), std::runtime_error);
  EXPECT_LE(taken, 20U);
  const auto take = [](std::size_t i, std::size_t) {
    if (i == 5) throw std::runtime_error("no");
  };
  EXPECT_THROW(map_in_order(
                   1000, 3, [](std::size_t i) { return i; }, take),
               std::runtime_error);
}

}  // namespace
}  // namespace carrack::data
