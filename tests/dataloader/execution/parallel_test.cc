#include "dataloader/execution/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/no_new_threads.h"

namespace carrack::data {
namespace {

std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(ForEachParallel, DoesEachItemOnceOnNoMoreThreadsThanAllowed) {
  for (const std::size_t threads : {1, 3, 200}) {
    std::array<std::atomic<int>, 100> done{};
    std::atomic<std::size_t> at_work = 0, most = 0;
    for_each_parallel(numbers(100), threads, [&](std::size_t one) {
      const std::size_t now = ++at_work;
      for (std::size_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
      }
      ++done[one];
      std::this_thread::yield();
      --at_work;
      return true;
    });
    EXPECT_TRUE(std::ranges::all_of(done, [](const auto& times) { return times == 1; })) << threads;
    EXPECT_LE(most, threads);
  }
}

TEST(ForEachParallel, BeginsNoItemAfterAFalse) {
  std::vector<std::size_t> done;
  for_each_parallel(numbers(10), 1, [&](std::size_t one) {
    done.push_back(one);
    return one < 3;
  });
  EXPECT_EQ(done, numbers(4));
}

TEST(ForEachParallel, RethrowsTheFirstException) {
  std::atomic<int> begun = 0;
  try {
    for_each_parallel(numbers(1000), 4, [&](std::size_t one) -> bool {
      ++begun;
      throw std::runtime_error("number " + std::to_string(one));
    });
    ADD_FAILURE() << "did not throw";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("number ")) << error.what();
  }
  EXPECT_LE(begun, 4);
}

TEST(ForEachParallel, WorksOnTheCallingThreadIfTheSystemStartsNoMore) {
  const tests::NoNewThreads none;
  std::vector<std::size_t> done;
  for_each_parallel(numbers(10), 4, [&](std::size_t one) {
    done.push_back(one);
    return true;
  });
  EXPECT_EQ(done, numbers(10));
}

}  // namespace
}  // namespace carrack::data
