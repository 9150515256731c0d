#include "trainer/kernels/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

namespace carrack::train::cpu {
namespace {

TEST(ThreadPool, RunsEachTaskOnce) {
  for (const int threads : {0, 1, 2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), std::max(threads, 1));
    for (const int tasks : {0, 1, 2, 5, 100}) {
      std::vector<int> runs(static_cast<std::size_t>(tasks));  // Not atomic: what tasks write is visible behind run().
      pool.run(tasks, [&](int task) { ++runs[static_cast<std::size_t>(task)]; });
      EXPECT_EQ(runs, std::vector<int>(runs.size(), 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPool, RunsManyPiecesOfWorkOneAfterTheOther) {
  ThreadPool pool(3);
  std::vector<int> sums(4);
  for (int round = 0; round < 20000; ++round) {
    pool.run(4, [&](int task) { sums[static_cast<std::size_t>(task)] += round; });
  }
  EXPECT_EQ(sums, std::vector<int>(4, 20000 / 2 * 19999));
}

TEST(ThreadPool, WakesThreadsThatSleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> arrived = 0;
    pool.run(3, [&](int) {  // Each task waits for the others, so that three threads are needed.
      ++arrived;
      while (arrived < 3) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, 3);
  }
}

TEST(ThreadPool, WaitsForASlowTask) {
  ThreadPool pool(2);
  std::vector<int> done(2);
  pool.run(2, [&](int task) {
    std::this_thread::sleep_for(std::chrono::milliseconds(task == 1 ? 20 : 1));
    done[static_cast<std::size_t>(task)] = 1;
  });
  EXPECT_EQ(done, std::vector<int>(2, 1));
}

TEST(ThreadPool, RethrowsWhatATaskThrowsWhenAllAreDone) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> done = 0;
      const auto fail_once = [&](int task) {
        if (task == 2) throw std::runtime_error("task 2");
        ++done;
      };
      EXPECT_THROW(pool.run(8, fail_once), std::runtime_error);
      EXPECT_EQ(done, threads > 1 ? 7 : 2);
      pool.run(8, [&](int) { ++done; });
      EXPECT_GE(done, 8);
    }
  }
}

TEST(ThreadPool, EndsWithoutWork) {
  for (int round = 0; round < 50; ++round) ThreadPool pool(1 + round % 4);
}

}  // namespace
}  // namespace carrack::train::cpu
