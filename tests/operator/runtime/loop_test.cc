// What the loop does with one pass at a job, and when it passes again.
#include <thread>

#include "tests/operator/runtime/scripted_cluster.h"

namespace carrack::control {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST_F(LoopTest, WritesTheStatusBeforeItActsEvenIfUnchanged) {
  loop.wake("j");
  EXPECT_EQ(loop.turn(), std::nullopt);
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against 10", "apply a", "apply b"));
}

TEST_F(LoopTest, WritesNothingWhereNothingIsToBeDone) {
  actions.clear();
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j"));
}

TEST_F(LoopTest, DoesNotActWhereTheStatusWasNotWritten) {
  for (const WriteResult result : {WriteResult::conflict, WriteResult::refused, WriteResult::unanswered}) {
    cluster.put_result = result;
    loop.wake("j");
    turn_after(seconds(1));
    EXPECT_EQ(cluster.take_calls().back(), "put against 10");
  }
}

TEST_F(LoopTest, GoesOnWhereSomethingWasSoAlready) {
  cluster.apply_results = {WriteResult::already};
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against 10", "apply a", "apply b"));
}

TEST_F(LoopTest, TellsDecisionsWhatWasRefusedUntilItIsDoneAndGoesOnWithTheRest) {
  const Process process = process_of(cluster.spec, worker(0), {0, 1});
  cluster.status.members[worker(0)] = {1, false};
  actions = {CreateProcess{process}, DeleteProcess{"b", seconds(1)}};
  const auto pass = [&](WriteResult result) {
    cluster.apply_results = {result};
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    clock.time += milliseconds(1'400);
    return loop.turn();
  };
  const std::optional<Instant> next = pass(WriteResult::refused);
  EXPECT_EQ(next, clock.steady_now());
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against 11", "apply " + process.name, "apply b"));
  EXPECT_EQ(passes.back().result, Pass::Result::refused);
  EXPECT_EQ(passes.back().error, "because");
  EXPECT_THAT(answers, IsEmpty());
  const Time start = std::chrono::floor<seconds>(clock.time);
  cluster.over_quota = true;
  pass(WriteResult::refused);
  EXPECT_THAT(answers, ElementsAre(Pair(process.name, LastRefusal{Refusal::denied, "because", 1, start + seconds(1)})));
  pass(WriteResult::not_now);
  EXPECT_THAT(answers, ElementsAre(Pair(process.name, LastRefusal{Refusal::quota, "because", 2, start + seconds(2)})));
  pass(WriteResult::already);
  EXPECT_THAT(answers, Contains(Pair(process.name, LastRefusal{Refusal::not_now, "because", 2, start + seconds(4)})));
  cluster.take_calls();
  pass(WriteResult::done);
  EXPECT_THAT(answers, IsEmpty());
}

TEST_F(LoopTest, WritesDetailsAloneEvery3SecondsAndTheNewestAtTheirEnd) {
  actions.clear();
  change = [&](JobStatus& status) {
    status.observed_generation = clock.time.time_since_epoch().count();
    status.progress = Progress{status.observed_generation};
  };
  const auto writes = [&] {
    const auto calls = cluster.take_calls();
    return std::ranges::count_if(calls, [](const std::string& call) { return call.starts_with("put"); });
  };
  const Moment begin = clock.time;
  std::vector<milliseconds> written;
  for (int n = 0; n < 90; ++n) {
    cluster.seen = {cluster.seen[0] + 1, 70, 30};
    loop.wake("j");
    turn_after(milliseconds(100));
    if (writes() > 0) written.push_back(clock.time - begin);
  }
  EXPECT_THAT(written, ElementsAre(milliseconds(100), milliseconds(3'100), milliseconds(6'100)));
  EXPECT_EQ(passes.back().result, Pass::Result::rests);
  EXPECT_EQ(loop.turn(), clock.steady_now() + milliseconds(100));
  turn_after(milliseconds(100));
  EXPECT_EQ(cluster.status.progress->step, clock.time.time_since_epoch().count());
}

TEST_F(LoopTest, WritesReportsAloneEvery30SecondsButTheLastCommitSooner) {
  actions.clear();
  std::int64_t step = 0;
  change = [&](JobStatus& status) {
    status.progress = Progress{++step, 100};
    status.progress_time = std::chrono::floor<seconds>(clock.now());
    status.last_checkpoint = LastCheckpoint{step, "checkpoint"};
  };
  const auto is_written = [&] {
    cluster.seen = {cluster.seen[0] + 1, 70, 30};
    loop.wake("j");
    turn_after(seconds(1));
    return cluster.status.progress && cluster.status.progress->step == step;
  };
  std::vector<int> seconds_of_writes;
  for (int second = 0; second < 70; ++second) {
    if (is_written()) seconds_of_writes.push_back(second);
  }
  EXPECT_THAT(seconds_of_writes, ElementsAre(0, 30, 60));
  cluster.status.members[coordinator] = {1, false};
  step = 99;
  EXPECT_TRUE(is_written());
}

TEST_F(LoopTest, WritesReportsEvery30SecondsAlsoWhereAMemberIsRefusedAgainAndAgain) {
  actions = {CreateProcess{process_of(cluster.spec, worker(0), {0, 1})}};
  cluster.status.members[worker(0)] = {1, false};
  change = [&](JobStatus& status) { status.progress = Progress{clock.time.time_since_epoch().count()}; };
  std::vector<int> seconds_of_writes;
  for (int second = 0; second < 70; ++second) {
    const JobStatus before = cluster.status;
    cluster.apply_results = {WriteResult::refused};
    cluster.seen = {cluster.seen[0] + 1, 70, 30};
    loop.wake("j");
    turn_after(seconds(1));
    if (cluster.status != before) seconds_of_writes.push_back(second);
    EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "put against " + std::to_string(cluster.seen[0]),
                                                  testing::StartsWith("apply ")));
  }
  EXPECT_THAT(seconds_of_writes, ElementsAre(0, 30, 60));
}

TEST_F(LoopTest, WritesEveryDetailWhereNoIntervalIsAskedFor) {
  int step = 0;
  Loop eager(
      cluster, clock,
      [&](const JobSpec&, JobStatus status, const Observed&, Time) {
        status.progress = Progress{++step};
        return Decision{status, {}, {}};
      },
      [](const Pass&) {}, {milliseconds(0), milliseconds(0)});
  for (int n = 1; n < 5; ++n) {
    cluster.seen = {cluster.seen[0] + 1, 70, 30};
    eager.wake("j");
    eager.turn();
    EXPECT_EQ(cluster.status.progress->step, n);
  }
}

TEST_F(LoopTest, WritesAtOnceWhichConditionsHoldAndWhatComesBeforeActions) {
  int step = 0;
  change = [&](JobStatus& status) { status.progress = Progress{++step}; };
  const auto look = [&] {
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    turn_after(milliseconds(10));
    return cluster.status.progress->step == step;
  };
  EXPECT_TRUE(look());
  EXPECT_TRUE(look());
  actions.clear();
  EXPECT_FALSE(look());
  change = [&](JobStatus& status) {
    status.progress = Progress{++step};
    set_condition(status, {ConditionType::running, true, "MembersRunning", "", {}});
  };
  EXPECT_TRUE(look());
  EXPECT_FALSE(look());
  change = [&](JobStatus& status) {
    status.progress = Progress{++step};
    set_condition(status, {ConditionType::running, false, "WaitingForMembers", "", {}});
  };
  EXPECT_TRUE(look());
  EXPECT_FALSE(look());
  change = [&](JobStatus& status) { status.progress = Progress{++step}; };
  actions = {DeleteProcess{"b", seconds(1)}};
  EXPECT_TRUE(look());
}

TEST_F(LoopTest, WritesAtOnceWhatEndsHaveCost) {
  actions.clear();
  change = [&](JobStatus& status) { status.observed_generation = clock.time.time_since_epoch().count(); };
  const auto look = [&] {
    cluster.seen = {cluster.seen[0] + 1, 71, 30};
    loop.wake("j");
    turn_after(milliseconds(100));
    return cluster.take_calls().size() > 1;
  };
  EXPECT_TRUE(look());
  EXPECT_FALSE(look());
  change = [](JobStatus& status) { ++status.disruptions; };
  EXPECT_TRUE(look());
  change = [](JobStatus& status) { status.last_failure = LastFailure{.member = "ps-0", .pod = "line-ps-0-0-1"}; };
  EXPECT_TRUE(look());
}

TEST_F(LoopTest, DropsWhatFollowsAnAnswerThatLeavesThingsOpenOrARefusedWithdrawal) {
  for (const auto& [result, refusal] :
       {std::pair(WriteResult::unanswered, Refusal::unanswered), std::pair(WriteResult::conflict, Refusal::unanswered),
        std::pair(WriteResult::not_now, Refusal::not_now), std::pair(WriteResult::refused, Refusal::denied)}) {
    cluster.apply_results = {result};
    cluster.seen = {cluster.seen[0] + 2, 71, 30};
    loop.wake("j");
    turn_after(seconds(60));
    EXPECT_EQ(cluster.take_calls().back(), "apply a");
    EXPECT_EQ(passes.back().result, Pass::Result::not_done);
    cluster.seen = {cluster.seen[0] + 2, 71, 30};
    turn_after(seconds(60));
    EXPECT_EQ(answers.at("a").refusal, refusal);
    EXPECT_EQ(answers.at("b").refusal, Refusal::not_sent);
    EXPECT_EQ(answers.at("b").in_a_row, 0) << "nothing was refused";
  }
}

TEST_F(LoopTest, ReadsByQuorumOnlyWhereItCannotKnowWhatWasDone) {
  for (const auto& [result, reading] :
       {std::pair(WriteResult::not_now, "cached j"), std::pair(WriteResult::unanswered, "quorum j")}) {
    cluster.apply_results = {result};
    cluster.seen = {cluster.seen[0] + 2, 71, 30};
    loop.wake("j");
    turn_after(seconds(60));
    cluster.take_calls();
    cluster.seen = {cluster.seen[0] + 2, 71, 30};
    turn_after(seconds(60));
    EXPECT_EQ(cluster.take_calls().front(), reading);
  }
}

TEST_F(LoopTest, TellsHowEachLookWent) {
  const auto expect = [&](Pass::Result result, const std::string& why) {
    EXPECT_EQ(passes.back().job, "j");
    EXPECT_EQ(passes.back().result, result);
    EXPECT_EQ(passes.back().error, why);
    EXPECT_EQ(loop.pass_started_at(), std::nullopt);
  };
  cluster.apply_results = {WriteResult::unanswered};
  loop.wake("j");
  loop.turn();
  expect(Pass::Result::not_done, "because");
  cluster.unreachable = true;
  turn_after(milliseconds(100));
  expect(Pass::Result::cluster_failed, "no connection");
  cluster.unreachable = false;
  cluster.seen = {11, 71, 30};
  turn_after(milliseconds(200));
  expect(Pass::Result::acted, "");
  loop.wake("j");
  loop.turn();
  expect(Pass::Result::waits_for_watches, "");
  cluster.seen = {12, 80, 30};
  actions.clear();
  loop.wake("j");
  loop.turn();
  expect(Pass::Result::rests, "");
  broken = true;
  loop.wake("j");
  loop.turn();
  expect(Pass::Result::parked, "map::at");
}

TEST_F(LoopTest, TriesAgainToParkAJobWhoseStatusCouldNotBeWritten) {
  broken = true;
  cluster.put_result = WriteResult::conflict;
  loop.wake("j");
  loop.turn();
  EXPECT_FALSE(find(cluster.status, ConditionType::running));
  cluster.put_result = WriteResult::done;
  turn_after(milliseconds(100));
  ASSERT_TRUE(find(cluster.status, ConditionType::running));
  EXPECT_EQ(find(cluster.status, ConditionType::running)->reason, "OperatorBug");
}

TEST_F(LoopTest, LooksAgainWhenTheDecisionSaidSo) {
  actions.clear();
  wake_at = std::chrono::floor<seconds>(clock.time) + seconds(30);
  loop.wake("j");
  EXPECT_EQ(loop.turn(), clock.steady_now() + seconds(30));
  wake_at.reset();
  turn_after(seconds(30));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j", "cached j"));
}

TEST_F(LoopTest, WaitsEverLongerForAClusterThatDoesNotAnswer) {
  cluster.unreachable = true;
  loop.wake("j");
  EXPECT_EQ(loop.turn(), clock.steady_now() + milliseconds(100));
  clock.time += milliseconds(100);
  EXPECT_EQ(loop.turn(), clock.steady_now() + milliseconds(200));
}

TEST_F(LoopTest, ParksAJobWhoseDecisionBreaksARuleAndGoesOnWithTheOthers) {
  broken = true;
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(find(cluster.status, ConditionType::running)->reason, "OperatorBug");
  EXPECT_EQ(find(cluster.status, ConditionType::running)->message, "map::at");
  cluster.take_calls();
  cluster.seen = {11, 70, 30};
  broken = false;
  loop.wake("j");
  loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached j"));
  loop.wake("k");
  loop.turn();
  EXPECT_EQ(cluster.take_calls().size(), 4U);
  ++cluster.spec.generation;
  loop.wake("j");
  loop.turn();
  EXPECT_EQ(cluster.take_calls().back(), "apply b");
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
  EXPECT_EQ(cluster.take_calls().back(), "apply b");
}

// A decision should not ask for that.
TEST_F(LoopTest, LooksAtOtherJobsBetweenTwoLooksAtOneThatIsDueAtOnceAgain) {
  actions.clear();
  wake_at = std::chrono::floor<seconds>(clock.time) - seconds(5);
  for (const char* job : {"a", "b", "c"}) loop.wake(job);
  for (int n = 0; n < 6; ++n) loop.turn();
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached a", "cached b", "cached c"));
  turn_after(milliseconds(100));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached a"));
}

TEST_F(LoopTest, RunsUntilItIsStoppedAndWakesFromOtherThreads) {
  const SystemClock real;
  std::atomic<int> decisions = 0;
  ScriptedCluster other;
  Loop running(other, real, [&](const JobSpec&, const JobStatus& status, const Observed&, Time) {
    ++decisions;
    return Decision{status, {}, {}};
  });
  std::jthread thread([&](const std::stop_token& stop) { running.run(stop); });
  running.wake("j");
  for (int n = 0; n < 1000 && decisions == 0; ++n) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(decisions, 1);
}

TEST_F(LoopTest, LeavesAJobOfANewerReleaseAloneAndSaysSoOnce) {
  cluster.unknown_in_spec = "spec.strategy: 'Gossip' is unknown";
  loop.wake("job");
  turn_after(milliseconds(0));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached job", "put against 10"));
  const Condition* running = find(cluster.status, ConditionType::running);
  ASSERT_TRUE(running);
  EXPECT_FALSE(running->holds);
  EXPECT_EQ(running->reason, "NeedsNewerOperator");
  EXPECT_EQ(running->message, "spec.strategy: 'Gossip' is unknown; only a newer release of the operator can run it");
  EXPECT_EQ(passes.back().result, Pass::Result::parked);
  cluster.seen[0] = 11;
  loop.wake("job");
  turn_after(milliseconds(0));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached job"));
  cluster.unknown_in_spec.clear();
  loop.wake("job");
  turn_after(milliseconds(0));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached job", "put against 11", "apply a", "apply b"));
}

TEST_F(LoopTest, LeavesAFinishedJobOfANewerReleaseAsItIs) {
  cluster.unknown_in_spec = "spec.strategy: 'Gossip' is unknown";
  set_condition(cluster.status, {ConditionType::finished, true, "TrainingSucceeded", "", {}});
  loop.wake("job");
  turn_after(milliseconds(0));
  EXPECT_THAT(cluster.take_calls(), ElementsAre("cached job"));
}

}  // namespace
}  // namespace carrack::control
