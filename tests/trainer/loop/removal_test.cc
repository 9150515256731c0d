#include "trainer/loop/roles/removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using testing::ElementsAre;

class RemovalOfOldCheckpoints : public testing::Test {
 protected:
  void handle_until_done() {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (removal.is_under_way() && Clock::now() < deadline) {
      inbox.handle_all(Clock::now() + milliseconds(10), [](Event& event) { std::get<Task>(event).run(); });
    }
    EXPECT_FALSE(removal.is_under_way());
  }

  void wait_until_begun(int count) const {
    while (begun < count) std::this_thread::sleep_for(milliseconds(1));
  }

  Inbox inbox;
  std::atomic<int> begun = 0;
  std::atomic<bool> blocked = false;
  std::vector<std::string> manifests;  // used by the thread of `removal` alone while one is under way
  std::string refusal;
  std::vector<std::string> logged;
  Removal removal{inbox,
                  [this](const std::string& manifest, const std::function<bool()>& go_on) {
                    manifests.push_back(manifest);
                    ++begun;
                    while (blocked && go_on()) std::this_thread::sleep_for(milliseconds(1));
                    if (!refusal.empty()) throw data::Error(refusal);
                  },
                  [this](const std::string& line) { logged.push_back(line); }};
};

TEST_F(RemovalOfOldCheckpoints, FollowsTheLastOfTheCommitsThatCameMeanwhile) {
  blocked = true;
  for (const char* manifest : {"first", "second", "third"}) removal.begin(manifest);
  wait_until_begun(1);
  blocked = false;
  handle_until_done();
  EXPECT_THAT(manifests, ElementsAre("first", "third"));
  removal.begin("fourth");
  handle_until_done();
  EXPECT_THAT(manifests, ElementsAre("first", "third", "fourth"));
  EXPECT_THAT(logged, ElementsAre());
}

TEST_F(RemovalOfOldCheckpoints, TriesAgainAfterARefusalAndLogsOnlyTheFirst) {
  refusal = "gs://b/o: no permission";
  for (const char* manifest : {"first", "second"}) {
    removal.begin(manifest);
    handle_until_done();
  }
  EXPECT_THAT(manifests, ElementsAre("first", "second"));
  EXPECT_THAT(logged, ElementsAre("old checkpoints are not removed: gs://b/o: no permission; training goes on"));
}

TEST_F(RemovalOfOldCheckpoints, IsCutShortWhereTheProcessEnds) {
  blocked = true;
  removal.begin("first");
  wait_until_begun(1);
}

}  // namespace
}  // namespace carrack::train
