// Several loops at work at once.
#include "operator/runtime/loops.h"

#include <thread>

#include "tests/operator/runtime/scripted_cluster.h"

namespace carrack::control {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

constexpr std::size_t loop_count = 16;

Decision decide_nothing(const JobSpec&, const JobStatus& status, const Observed&, Time) {
  return {status, {}, {}};
}

// Counts the looks at each job, and finds those that are made at the same time. A look at `held` lasts until release().
class SharedCluster : public ScriptedCluster {
 public:
  Snapshot observe(const std::string& job, Reading) override {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(now_.insert(job).second) << job << " is looked at twice at the same time";
    ++looks_[job];
    changed_.notify_all();
    changed_.wait(lock, [&] { return job != held; });
    now_.erase(job);
    return {JobRecord{spec, {}, 1}, {}, {1, 1, 1}};
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held.clear();
    changed_.notify_all();
  }
  bool await_looks(const std::string& job, int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(30), [&] { return looks_[job] >= count; });
  }
  std::string held;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> now_;
  std::map<std::string, int> looks_;
};

TEST(Loops, AJobThatIsAnsweredSlowlyDelaysNoJobOfAnotherLoop) {
  const SystemClock clock;
  SharedCluster cluster;
  cluster.held = "slow/job";
  Loops loops(loop_count, cluster, clock, decide_nothing, [](const Pass&) {});
  EXPECT_EQ(loops.pass_started_at(), std::nullopt);
  std::jthread thread([&](const std::stop_token& stop) { loops.run(stop); });
  loops.wake("slow/job");
  ASSERT_TRUE(cluster.await_looks("slow/job", 1));
  EXPECT_TRUE(loops.pass_started_at());
  int others = 0, beside = 0;
  for (int n = 0; n < 100; ++n) {
    const std::string other = "team" + std::to_string(n) + "/job";
    loops.wake(other);
    if (loop_of(other, loop_count) == loop_of("slow/job", loop_count)) {
      ++beside;
    } else {
      ++others;
      EXPECT_TRUE(cluster.await_looks(other, 1)) << other;
    }
  }
  EXPECT_GT(others, 80);
  EXPECT_GT(beside, 0);
  cluster.release();
}

TEST(Loops, TheJobsOfANamespaceAreOnFourLoopsAndThoseOfManyOnAll) {
  std::set<std::size_t> all;
  for (int n = 0; n < 100; ++n) {
    std::set<std::size_t> of_one;
    for (int job = 0; job < 100; ++job) {
      of_one.insert(loop_of("team" + std::to_string(n) + "/job" + std::to_string(job), loop_count));
    }
    EXPECT_EQ(of_one.size(), 4U) << n;
    all.merge(of_one);
  }
  EXPECT_EQ(all.size(), loop_count);
  EXPECT_EQ(loop_of("team/job", 1), 0U);
}

TEST(Loops, NeverMakeTwoPassesOverAJobAtTheSameTime) {
  const SystemClock clock;
  SharedCluster cluster;
  std::atomic<int> passes = 0;
  Loops loops(loop_count, cluster, clock, decide_nothing, [&](const Pass& pass) {
    EXPECT_EQ(pass.result, Pass::Result::rests);
    ++passes;
  });
  std::jthread thread([&](const std::stop_token& stop) { loops.run(stop); });
  std::vector<std::jthread> wakers;
  for (int waker = 0; waker < 4; ++waker) {
    wakers.emplace_back([&] {
      for (int n = 0; n < 2'000; ++n) loops.wake("team/job" + std::to_string(n % 20));
    });
  }
  wakers.clear();
  for (int n = 0; n < 20; ++n) EXPECT_TRUE(cluster.await_looks("team/job" + std::to_string(n), 1));
  EXPECT_THAT(passes.load(), AllOf(Ge(1), Le(8'000)));
}

TEST(Loops, CountTheJobsThatWaitAndNotThoseThatAreDueLater) {
  const SystemClock clock;
  SharedCluster cluster;
  cluster.held = "slow/job";
  const auto later = std::chrono::floor<seconds>(clock.now()) + seconds(600);
  Loops loops(
      1, cluster, clock,
      [&](const JobSpec&, const JobStatus& status, const Observed&, Time) {
        return Decision{status, {}, later};
      },
      [](const Pass&) {});
  std::jthread thread([&](const std::stop_token& stop) { loops.run(stop); });
  loops.wake("team/job");
  ASSERT_TRUE(cluster.await_looks("team/job", 1));
  loops.wake("slow/job");
  ASSERT_TRUE(cluster.await_looks("slow/job", 1));
  EXPECT_EQ(loops.waiting(), 0U);
  for (int n = 0; n < 40; ++n) loops.wake("team" + std::to_string(n) + "/job");
  EXPECT_EQ(loops.waiting(), 40U);
  cluster.release();
  for (int n = 0; n < 40; ++n) EXPECT_TRUE(cluster.await_looks("team" + std::to_string(n) + "/job", 1));
}

}  // namespace
}  // namespace carrack::control
