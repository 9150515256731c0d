// What the loop does about checks of processes, and when the clock is set.
#include "tests/operator/runtime/scripted_cluster.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(LoopTest, DropsWhatFollowsACheckThatFinds) {
  const Process process = process_of(cluster.spec, worker(0), {0, 1});
  cluster.status.members[worker(0)] = {1, false};
  actions = {CheckProcess{process}, CreateConfig{"b"}, CreateProcess{process}};
  cluster.apply_results = {WriteResult::refused};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against 10", "apply " + process.name));
  cluster.seen = {11, 71, 30};
  turn_after(milliseconds(100));
  ASSERT_TRUE(answers.contains(process.name));
  EXPECT_EQ(answers.at(process.name).refusal, Refusal::invalid);
  EXPECT_EQ(answers.at(process.name).words, "because");
}

// Else each check before a create that is refused would let it rest as if it was refused for the first time.
TEST_F(LoopTest, ForgetsNothingAndReadsNothingAgainAfterACheckThatPasses) {
  const Process process = process_of(cluster.spec, worker(0), {0, 1});
  cluster.status.members[worker(0)] = {1, false};
  actions = {CheckProcess{process}, CreateProcess{process}};
  cluster.over_quota = true;
  for (int refusals = 0; refusals < 3; ++refusals) {
    cluster.apply_results = {WriteResult::already, WriteResult::refused};
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    turn_after(seconds(1));
    EXPECT_EQ(cluster.take_calls()[0], "cached j");
    EXPECT_EQ(answers.empty() ? 0 : answers.at(process.name).in_a_row, refusals);
  }
}

// No view shows a key, so its create is followed by no read, and must not be waited for.
TEST_F(LoopTest, RemembersOfAKeyThatItIsCreated) {
  const auto pass = [&](std::vector<Action> decided) {
    actions = std::move(decided);
    cluster.seen[0] += 1;  // The view shows what the pass before has written.
    loop.wake("j");
    turn_after(seconds(10));
    return cluster.take_calls()[0];
  };
  const auto has_key_after = [&](WriteResult result) {
    cluster.apply_results = {result};
    pass({CreateKey{"key"}});
    EXPECT_EQ(pass({}), "cached j");
    return has_key;
  };
  EXPECT_FALSE(has_key_after(WriteResult::refused));
  EXPECT_FALSE(has_key_after(WriteResult::unanswered));
  EXPECT_TRUE(has_key_after(WriteResult::done));
  EXPECT_TRUE(has_key_after(WriteResult::already));
  cluster.spec.uid = "another job of that name";
  pass({});
  EXPECT_FALSE(has_key);
}

TEST_F(LoopTest, HoldsNoJobLongerWhenTheClockIsSetBack) {
  clock.set_by = -std::chrono::hours(1);
  actions.clear();
  wake_at = std::chrono::floor<seconds>(clock.now()) + seconds(30);
  loop.wake("j");
  EXPECT_EQ(loop.turn(), clock.steady_now() + seconds(30));
  clock.set_by -= std::chrono::hours(1);
  wake_at.reset();
  turn_after(seconds(30));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "cached j"));

  cluster.unreachable = true;
  loop.wake("j");
  loop.turn();
  clock.set_by -= std::chrono::hours(1);
  turn_after(milliseconds(100));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "quorum j"));
}

TEST_F(LoopTest, TellsWhenTheClusterAnsweredByTheClockAsItIsSetNow) {
  const Process process = process_of(cluster.spec, worker(0), {0, 1});
  cluster.status.members[worker(0)] = {1, false};
  actions = {CreateProcess{process}};
  cluster.apply_results = {WriteResult::refused, WriteResult::refused};
  const auto age = [&] {
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    turn_after(seconds(3));
    return std::chrono::floor<seconds>(clock.now()) - answers.at(process.name).at;
  };
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(age(), seconds(3));
  clock.set_by = -std::chrono::hours(1);
  EXPECT_EQ(age(), seconds(3));
}

}  // namespace
}  // namespace carrack::control
