// The loop decides on no view that is older than what it knows.
#include "operator/core/restart.h"
#include "tests/operator/runtime/scripted_cluster.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;

TEST_F(LoopTest, ReadsByQuorumAfterAWriteOfUnknownOutcome) {
  cluster.apply_results = {WriteResult::unanswered};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against 10", "apply a"));
  cluster.seen = {11, 70, 30};
  turn_after(milliseconds(100));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("quorum j", "put against 11", "apply a", "apply b"));
}

TEST_F(LoopTest, ReadsByQuorumAfterAWriteWhoseVersionIsNotKnown) {
  cluster.apply_version = 0;
  loop.wake("j");
  loop.turn();
  cluster.take_calls();
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.take_calls().front(), "quorum j");
}

TEST_F(LoopTest, WaitsBetweenQuorumReadsThatAreOlderThanItsOwnWrites) {
  loop.wake("j");
  loop.turn();
  cluster.take_calls();
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j"));
  for (int times = 0; times < 3; ++times) {
    turn_after(seconds(1));
    loop.turn();
    EXPECT_THAT(cluster.take_calls(), ElementsAre("quorum j"));
  }
}

TEST_F(LoopTest, DecidesOnNoViewOlderThanItsOwnWritesAndAsksAfterASecond) {
  loop.wake("j");
  loop.turn();
  cluster.take_calls();
  loop.wake("j");
  const auto next = loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j"));
  EXPECT_EQ(next, clock.steady_now() + seconds(1));
  cluster.seen = {11, 71, 30};
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.take_calls().size(), 4U);

  cluster.seen = {11, 72, 30};
  loop.wake("j");
  loop.turn();
  cluster.take_calls();
  turn_after(seconds(1));
  EXPECT_EQ(cluster.take_calls().front(), "quorum j");
}

TEST_F(LoopTest, DecidesOnNoViewThatWentBack) {
  actions.clear();
  loop.wake("j");
  loop.turn();
  cluster.seen = {10, 69, 30};
  actions = {DeleteProcess{"b", seconds(1)}};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "cached j"));
}

TEST_F(LoopTest, DoesNotLetAnOlderListBringBackAJobThatIsGone) {
  cluster.gone = true;
  cluster.seen = {20, 80, 30};
  loop.wake("j");
  loop.turn();
  cluster.gone = false;
  cluster.seen = {15, 80, 30};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "cached j"));
}

TEST_F(LoopTest, TellsDecisionsByItsOwnClockSinceWhenAProcessIsSilent) {
  actions.clear();
  const auto look_after = [&](milliseconds pause) {
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    turn_after(pause);
    return processes.at(0).silent_since;
  };
  cluster.processes.emplace_back().name = "a";
  cluster.processes[0].silent_since = Time{};
  const Time since = std::chrono::ceil<seconds>(clock.time + milliseconds(1'400));
  EXPECT_EQ(look_after(milliseconds(1'400)), since);
  EXPECT_EQ(look_after(seconds(4)), since);
  clock.set_by = std::chrono::hours(-1);
  EXPECT_EQ(look_after(seconds(4)), since - std::chrono::hours(1));
  clock.set_by = milliseconds(0);
  cluster.processes[0].silent_since.reset();
  EXPECT_EQ(look_after(seconds(4)), std::nullopt);
  cluster.processes[0].silent_since = Time{};
  const Time again = std::chrono::ceil<seconds>(clock.time + seconds(4));
  EXPECT_EQ(look_after(seconds(4)), again);
}

// Its end may not have been seen yet, nor that it answers again.
TEST_F(LoopTest, ReadsByQuorumBeforeItDecidesThatAProcessHangs) {
  actions.clear();
  cluster.processes.emplace_back().name = "a";
  cluster.processes[0].silent_since = Time{};
  const auto look_after = [&](milliseconds pause) {
    loop.wake("j");
    turn_after(pause);
    return cluster.take_calls();
  };
  EXPECT_THAT(look_after(seconds(1)), ElementsAre("cached j"));
  EXPECT_THAT(look_after(silence_max - seconds(1)), ElementsAre("cached j"));
  EXPECT_THAT(look_after(seconds(1)), ElementsAre("quorum j"));
  cluster.processes[0].silent_since.reset();
  EXPECT_THAT(look_after(seconds(1)), ElementsAre("quorum j"));
  EXPECT_THAT(look_after(seconds(1)), ElementsAre("cached j"));
}

}  // namespace
}  // namespace carrack::control
