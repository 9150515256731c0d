// Ends that nobody is charged for, what a member may cost the others, and how long logs stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;
using train::Exit;

// Ends the member's start without a charge, and returns the pause before its next one.
seconds pause_after_eviction(Scene& scene, const train::Member& member) {
  scene.start_all();
  ObservedProcess& process = scene.current(member);
  process.state = ProcessState::exited;
  process.exit_code = 137;
  process.disrupted = true;
  scene.decide();
  const MemberStatus& start = scene.status.members.at(member);
  if (!start.ended) return seconds(0);
  const seconds pause = start.not_before - scene.now;
  scene.now = start.not_before;
  return pause;
}

TEST(Disruptions, AreFollowedByNoPauseAndThenByGrowingOnes) {
  Scene scene;
  std::vector<std::int64_t> pauses;
  for (int n = 0; n < 10; ++n) pauses.push_back(pause_after_eviction(scene, worker(0)).count());
  EXPECT_THAT(pauses, ElementsAre(0, 1, 2, 4, 8, 16, 32, 60, 60, 60));
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
  EXPECT_EQ(scene.status.attempt, 0);
}

TEST(Disruptions, OfAMemberThatRanForTenMinutesBeginANewRow) {
  Scene scene;
  for (int n = 0; n < 5; ++n) pause_after_eviction(scene, ps(0));
  scene.start_all();
  scene.current(ps(0)).started_at = scene.now;
  scene.current(ps(0)).ended_at = scene.now + minutes(10);
  scene.now += minutes(11);
  EXPECT_EQ(pause_after_eviction(scene, ps(0)), seconds(0));
  EXPECT_EQ(scene.status.members.at(ps(0)).disruptions, 1);
}

TEST(Disruptions, InARowAreSaid) {
  Scene scene;
  for (int n = 0; n < disruptions_noted; ++n) pause_after_eviction(scene, ps(0));
  scene.now -= seconds(1);
  scene.decide();
  const Condition& running = *find(scene.status, ConditionType::running);
  EXPECT_FALSE(running.holds);
  EXPECT_EQ(running.reason, "DisruptedAgain");
  EXPECT_EQ(running.message, "ps 0 was ended by the cluster or refused by its nodes 10 times in a row");
}

TEST(Disruptions, AreAlsoTheRefusalsOfNodes) {
  Scene scene;
  for (int n = 0; n < 2 * member_failures_max; ++n) {
    scene.start_all();
    ObservedProcess& process = scene.current(worker(0));
    process.state = ProcessState::exited;
    process.exit_code = 137;
    process.never_ran = true;
    process.message = "OutOfcpu: Node did not have enough resource: cpu";
    scene.decide();
    scene.now += seconds(60);
  }
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
  EXPECT_EQ(scene.status.attempt, 0);
  EXPECT_FALSE(is_finished(scene.status));
}

TEST(Disruptions, AreNotTheFailuresOfInitContainers) {
  Scene scene;
  scene.start_all();
  scene.current(ps(0)).state = ProcessState::exited;
  scene.current(ps(0)).exit_code = 137;
  scene.current(ps(0)).never_ran = scene.current(ps(0)).init_failed = true;
  scene.decide();
  EXPECT_EQ(scene.status.members.at(ps(0)).failures, 1);
}

TEST(SurplusWorker, ThatKeepsFailingRestsAlone) {
  Scene scene;
  std::vector<std::int64_t> pauses;
  for (int n = 0; n < 9; ++n) {
    scene.start_all();
    scene.exits(worker(1), Exit::platform_error);
    scene.decide();
    const Time next = std::max(scene.now, scene.status.members.at(worker(1)).not_before);
    pauses.push_back((next - scene.now).count());
    scene.now = next;
  }
  EXPECT_THAT(pauses, ElementsAre(0, 10, 20, 40, 80, 160, 320, 360, 360));
  EXPECT_EQ(scene.status.attempt, 0);
  EXPECT_EQ(scene.status.members.at(worker(0)).incarnation, 1);
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
}

TEST(SurplusWorker, IsNoneIfTheOthersAreTooFew) {
  Scene scene;
  scene.start_all();
  scene.current(worker(0)).state = ProcessState::pending;
  scene.status.members.at(worker(1)).failures = member_failures_max - 1;
  scene.exits(worker(1), Exit::platform_error);
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 1);
}

// At the end of a job all workers end, so that no others are left.
TEST(SurplusWorker, ThatHasFailedBeforeAndEndsWithoutAFailureRestartsNobody) {
  for (const Exit end : {Exit::succeeded, Exit::drained}) {
    Scene scene;
    scene.spec.run.backoff_limit = 0;
    scene.start_all();
    scene.status.members.at(worker(1)).failures = member_failures_max;
    scene.exits(worker(0), end);
    scene.exits(worker(1), end);
    scene.decide();
    EXPECT_FALSE(is_finished(scene.status));
    EXPECT_EQ(scene.status.attempt, 0);
    scene.exits(coordinator, Exit::succeeded);
    scene.decide();
    EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  }
}

TEST(SurplusWorker, MayFailWhileAnotherOneIsAdded) {
  Scene scene;
  scene.start_all();
  scene.status.members.at(worker(1)).failures = member_failures_max - 1;
  scene.exits(worker(1), Exit::platform_error);
  scene.spec.config.workers.max = 3;
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 0);
}

TEST(Logs, StayUntilTheNextStartHasRunForAWhile) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error);
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), IsEmpty());
  scene.current(ps(0)).state = ProcessState::running;
  scene.current(ps(0)).started_at = scene.now;
  scene.now += minutes(9);
  Decision decision = scene.decide();
  EXPECT_THAT(all<DeleteProcess>(decision), IsEmpty());
  EXPECT_EQ(decision.wake_at, scene.now + minutes(1));
  scene.now += minutes(1);
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), ElementsAre(DeleteProcess{"line-pvhrt-ps-0-0-1", seconds(60)}));
}

TEST(Logs, StayOfTheLastOfSeveralFailedStarts) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error);
  scene.decide();
  scene.exits(ps(0), Exit::platform_error);
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), ElementsAre(DeleteProcess{"line-pvhrt-ps-0-0-1", seconds(60)}));
  EXPECT_EQ(scene.observed.processes.back().name, "line-pvhrt-ps-0-0-2");
}

TEST(Logs, OfAPodWhoseSidecarsRunOnDoNotKeepIt) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(1), Exit::succeeded);
  scene.current(worker(1)).holds_node = true;
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  ASSERT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_FALSE(scene.has(worker(1), {0, 1}));
  EXPECT_TRUE(scene.has(coordinator, {0, 1}));
}

TEST(SharedObjects, AreDeletedOnceNothingUsesThem) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  EXPECT_THAT(all<DeleteService>(scene.decide()), IsEmpty()) << "members still run";
  const Decision decision = scene.decide();
  EXPECT_THAT(all<DeleteService>(decision), ElementsAre(DeleteService{"line-pvhrt-coordinator"}));
  EXPECT_THAT(all<DeleteConfig>(decision), ElementsAre(DeleteConfig{"line-pvhrt-config"}));
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(SharedObjects, AreCreatedAgainForAJobThatIsResumed) {
  Scene scene;
  scene.start_all();
  scene.spec.run.suspend = true;
  for (int n = 0; n < 5; ++n) scene.decide();
  EXPECT_FALSE(scene.observed.has_service);
  EXPECT_FALSE(scene.observed.has_config);
  scene.spec.run.suspend = false;
  scene.decide();
  EXPECT_TRUE(scene.observed.has_service);
  EXPECT_TRUE(scene.observed.has_config);
}

}  // namespace
}  // namespace carrack::control
