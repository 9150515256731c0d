#include "trainer/loop/roles/removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using testing::ElementsAre;

class RemovalOfOldCheckpoints : public testing::Test {
 protected:
  void wait_until_done() const {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (removal->is_under_way() && Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_FALSE(removal->is_under_way());
  }

  void wait_until_begun(int count) const {
    while (shared->begun < count) std::this_thread::sleep_for(milliseconds(1));
  }

  // Used by the thread of the removal, which may outlive a test.
  struct Shared {
    std::atomic<int> begun = 0;
    std::atomic<bool> blocked = false;
    std::atomic<bool> deaf = false;  // it does not even look whether it may go on, as storage does not answer
    std::atomic<bool> ended = false;
    std::vector<std::string> manifests;  // while a removal is under way
    std::string refusal;
  };

  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::optional<Removal> removal{
      [shared = shared](const NeededCheckpoints& needed, const std::function<bool()>& go_on) {
        shared->manifests.push_back(needed.last);
        ++shared->begun;
        while (shared->deaf || (shared->blocked && go_on())) std::this_thread::sleep_for(milliseconds(1));
        shared->ended = true;
        if (!shared->refusal.empty()) throw data::Error(shared->refusal);
      }};
};

TEST_F(RemovalOfOldCheckpoints, FollowsTheLastOfTheCommitsThatCameMeanwhile) {
  shared->blocked = true;
  removal->begin({.last = "first"});
  wait_until_begun(1);
  for (const char* manifest : {"second", "third"}) removal->begin({.last = manifest});
  shared->blocked = false;
  wait_until_done();
  EXPECT_THAT(shared->manifests, ElementsAre("first", "third"));
  removal->begin({.last = "fourth"});
  wait_until_done();
  EXPECT_THAT(shared->manifests, ElementsAre("first", "third", "fourth"));
  EXPECT_EQ(removal->take_refusal(), std::nullopt);
}

TEST_F(RemovalOfOldCheckpoints, TriesAgainAfterARefusalAndReportsOnlyTheFirst) {
  shared->refusal = "gs://b/o: no permission";
  removal->begin({.last = "first"});
  wait_until_done();
  EXPECT_EQ(removal->take_refusal(), "gs://b/o: no permission");
  removal->begin({.last = "second"});
  wait_until_done();
  EXPECT_THAT(shared->manifests, ElementsAre("first", "second"));
  EXPECT_EQ(removal->take_refusal(), std::nullopt);
}

TEST_F(RemovalOfOldCheckpoints, IsCutShortWhenItIsDestroyed) {
  shared->blocked = true;
  removal->begin({.last = "first"});
  wait_until_begun(1);
  removal->begin({.last = "second"});
  removal.reset();
  EXPECT_TRUE(shared->ended);
  EXPECT_THAT(shared->manifests, ElementsAre("first"));
}

TEST_F(RemovalOfOldCheckpoints, IsNotWaitedForForLongIfStorageDoesNotAnswer) {
  shared->deaf = true;
  removal->begin({.last = "first"});
  wait_until_begun(1);
  const auto before = Clock::now();
  removal.reset();
  EXPECT_FALSE(shared->ended);
  EXPECT_LT(Clock::now() - before, 5 * Removal::patience);
  shared->deaf = false;
  while (!shared->ended) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace
}  // namespace carrack::train
