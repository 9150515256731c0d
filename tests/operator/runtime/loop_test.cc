#include "operator/runtime/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "operator/error.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

struct SteppedClock : Clock {
  Moment time{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};
  Moment now() const override { return time; }
};

// Says what it was asked, in order; answers as told.
class ToldCluster : public Cluster {
 public:
  Snapshot observe(const std::string& job, Reading reading) override {
    calls.push_back((reading == Reading::quorum ? "quorum " : "cached ") + job);
    if (unreachable) throw Error(Blame::platform, "no connection");
    Snapshot snapshot{JobRecord{spec, status, seen[0]}, {}, seen};
    if (gone) snapshot.job.reset();
    return snapshot;
  }
  Reply put_status(const std::string&, Version read, const JobStatus& written) override {
    calls.push_back("put against " + std::to_string(read));
    if (put_answer == Answer::done) status = written;
    return {put_answer, read + 1, ""};
  }
  Reply apply(const std::string&, const JobSpec&, const Action& action) override {
    const auto* withdraw = std::get_if<WithdrawProcess>(&action);
    calls.push_back("apply " + (withdraw ? withdraw->name : std::get<DeleteProcess>(action).name));
    const Answer answer = apply_answers.empty() ? Answer::done : apply_answers.front();
    if (!apply_answers.empty()) apply_answers.pop_front();
    return {answer, apply_version, "because"};
  }
  void watch(std::function<void(const std::string&)>) override {}

  std::vector<std::string> heard() { return std::exchange(calls, {}); }

  JobSpec spec = some_job();
  JobStatus status;
  Versions seen{10, 70, 30};
  bool gone = false;
  bool unreachable = false;
  Answer put_answer = Answer::done;
  std::deque<Answer> apply_answers;
  Version apply_version = 71;
  std::vector<std::string> calls;
};

class LoopTest : public testing::Test {
 protected:
  // Two actions, whatever is seen.
  Loop loop{cluster, clock,
            [this](const JobSpec&, const JobStatus& status, const Observed& observed, Time) {
              refused = observed.refused;
              if (broken) throw std::out_of_range("map::at");
              return Decision{status, actions, wake_at};
            },
            [this](const Look& look) { looks.push_back(look); }};
  void turn_after(milliseconds pause) {
    clock.time += pause;
    loop.turn();
  }

  ToldCluster cluster;
  SteppedClock clock;
  std::vector<Action> actions = {WithdrawProcess{"a"}, DeleteProcess{"b", seconds(1)}};
  std::optional<Time> wake_at;
  bool broken = false;
  std::string refused;
  std::vector<Look> looks;
};

TEST_F(LoopTest, WritesTheStatusBeforeItActsEvenIfUnchanged) {
  loop.wake("j");
  EXPECT_EQ(loop.turn(), std::nullopt);
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "put against 10", "apply a", "apply b"));
}

TEST_F(LoopTest, WritesNothingWhereNothingIsToBeDone) {
  actions.clear();
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j"));
}

TEST_F(LoopTest, DoesNotActWhereTheStatusWasNotWritten) {
  for (const Answer answer : {Answer::conflict, Answer::refused, Answer::unanswered}) {
    cluster.put_answer = answer;
    loop.wake("j");
    turn_after(seconds(1));
    EXPECT_EQ(cluster.heard().back(), "put against 10");
  }
}

TEST_F(LoopTest, ReadsByQuorumAfterAWriteOfUnknownOutcome) {
  cluster.apply_answers = {Answer::unanswered};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "put against 10", "apply a"));
  cluster.seen = {11, 70, 30};
  turn_after(milliseconds(100));
  EXPECT_THAT(cluster.heard(), ElementsAre("quorum j", "put against 11", "apply a", "apply b"));
}

TEST_F(LoopTest, ReadsByQuorumAfterAWriteWhoseVersionIsNotKnown) {
  cluster.apply_version = 0;
  loop.wake("j");
  loop.turn();
  cluster.heard();
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.heard().front(), "quorum j");
}

TEST_F(LoopTest, WaitsBetweenQuorumReadsThatAreOlderThanItsOwnWrites) {
  loop.wake("j");
  loop.turn();
  cluster.heard();
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j"));
  for (int times = 0; times < 3; ++times) {
    turn_after(seconds(1));
    loop.turn();
    EXPECT_THAT(cluster.heard(), ElementsAre("quorum j"));
  }
}

TEST_F(LoopTest, GoesOnWhereSomethingWasSoAlready) {
  cluster.apply_answers = {Answer::already};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "put against 10", "apply a", "apply b"));
}

TEST_F(LoopTest, TellsTheNextDecisionWhatWasRefused) {
  cluster.apply_answers = {Answer::refused};
  loop.wake("j");
  loop.turn();
  cluster.seen = {11, 70, 30};
  turn_after(milliseconds(100));
  EXPECT_EQ(refused, "because");
  EXPECT_EQ(cluster.heard().back(), "apply b");
}

TEST_F(LoopTest, TellsHowEachLookWent) {
  const auto expect = [&](Look::Result result, const std::string& why) {
    EXPECT_EQ(looks.back().job, "j");
    EXPECT_EQ(looks.back().result, result);
    EXPECT_EQ(looks.back().why, why);
    EXPECT_EQ(loop.looks_since(), std::nullopt);
  };
  cluster.apply_answers = {Answer::unanswered};
  loop.wake("j");
  loop.turn();
  expect(Look::Result::not_done, "because");
  cluster.unreachable = true;
  turn_after(milliseconds(100));
  expect(Look::Result::cluster_failed, "no connection");
  cluster.unreachable = false;
  cluster.seen = {11, 71, 30};
  turn_after(milliseconds(200));
  expect(Look::Result::acted, "");
  loop.wake("j");
  loop.turn();
  expect(Look::Result::waits_for_watches, "");
  cluster.seen = {12, 80, 30};
  actions.clear();
  loop.wake("j");
  loop.turn();
  expect(Look::Result::rests, "");
  broken = true;
  loop.wake("j");
  loop.turn();
  expect(Look::Result::parked, "map::at");
}

TEST_F(LoopTest, TriesAgainToParkAJobWhoseStatusCouldNotBeWritten) {
  broken = true;
  cluster.put_answer = Answer::conflict;
  loop.wake("j");
  loop.turn();
  EXPECT_FALSE(find(cluster.status, ConditionType::running));
  cluster.put_answer = Answer::done;
  turn_after(milliseconds(100));
  ASSERT_TRUE(find(cluster.status, ConditionType::running));
  EXPECT_EQ(find(cluster.status, ConditionType::running)->reason, "OperatorBug");
}

TEST_F(LoopTest, DecidesOnNoViewOlderThanItsOwnWritesAndAsksAfterASecond) {
  loop.wake("j");
  loop.turn();
  cluster.heard();
  loop.wake("j");
  const auto next = loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j"));
  EXPECT_EQ(next, clock.time + seconds(1));
  cluster.seen = {11, 71, 30};
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.heard().size(), 4U);

  cluster.seen = {11, 72, 30};
  loop.wake("j");
  loop.turn();
  cluster.heard();
  turn_after(seconds(1));
  EXPECT_EQ(cluster.heard().front(), "quorum j");
}

TEST_F(LoopTest, DecidesOnNoViewThatWentBack) {
  actions.clear();
  loop.wake("j");
  loop.turn();
  cluster.seen = {10, 69, 30};
  actions = {DeleteProcess{"b", seconds(1)}};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "cached j"));
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
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "cached j"));
}

TEST_F(LoopTest, LooksAgainWhenTheDecisionSaidSo) {
  actions.clear();
  wake_at = std::chrono::floor<seconds>(clock.time) + seconds(30);
  loop.wake("j");
  EXPECT_EQ(loop.turn(), Moment(*wake_at));
  wake_at.reset();
  turn_after(seconds(30));
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j", "cached j"));
}

TEST_F(LoopTest, WaitsEverLongerForAClusterThatDoesNotAnswer) {
  cluster.unreachable = true;
  loop.wake("j");
  EXPECT_EQ(loop.turn(), clock.time + milliseconds(100));
  clock.time += milliseconds(100);
  EXPECT_EQ(loop.turn(), clock.time + milliseconds(200));
}

TEST_F(LoopTest, ParksAJobWhoseDecisionBreaksARuleAndGoesOnWithTheOthers) {
  broken = true;
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(find(cluster.status, ConditionType::running)->reason, "OperatorBug");
  EXPECT_EQ(find(cluster.status, ConditionType::running)->message, "map::at");
  cluster.heard();
  cluster.seen = {11, 70, 30};
  broken = false;
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.heard(), ElementsAre("cached j"));
  loop.wake("k");
  loop.turn();
  EXPECT_EQ(cluster.heard().size(), 4U);
  ++cluster.spec.generation;
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.heard().back(), "apply b");
}

TEST_F(LoopTest, DecidesOnANewJobThatHasTheNameOfAParkedOne) {
  broken = true;
  loop.wake("j");
  loop.turn();
  broken = false;
  cluster.seen = {11, 70, 30};
  cluster.spec.uid = "another";
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.heard().back(), "apply b");
}

TEST_F(LoopTest, RunsUntilItIsStoppedAndWakesFromOtherThreads) {
  const SystemClock real;
  std::atomic<int> decisions = 0;
  ToldCluster other;
  Loop running(other, real, [&](const JobSpec&, const JobStatus& status, const Observed&, Time) {
    ++decisions;
    return Decision{status, {}, {}};
  });
  std::jthread thread([&](const std::stop_token& stop) { running.run(stop); });
  running.wake("j");
  for (int n = 0; n < 1000 && decisions == 0; ++n) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(decisions, 1);
}

}  // namespace
}  // namespace carrack::control
