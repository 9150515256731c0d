#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using train::Exit;

TEST(Reconcile, CreatesWhatANewJobsMembersShareThenEveryMember) {
  Scene scene;
  const Decision decision = scene.decide();
  ASSERT_EQ(decision.actions.size(), 7U);
  EXPECT_EQ(decision.actions[0], Action(CreateService{"line-pvhrt-coordinator"}));
  EXPECT_EQ(decision.actions[1], Action(CreateConfig{"line-pvhrt-config"}));
  EXPECT_EQ(decision.actions[2], Action(CreateKey{key_name(scene.spec)}));
  EXPECT_THAT(names_of(all<CreateProcess>(decision)),
              ElementsAre("line-pvhrt-coordinator-0-0-1", "line-pvhrt-ps-0-0-1", "line-pvhrt-worker-0-0-1",
                          "line-pvhrt-worker-1-0-1"));
  EXPECT_TRUE(holds(decision.status, ConditionType::created));
  EXPECT_FALSE(holds(decision.status, ConditionType::running));
}

TEST(Reconcile, RaisesAnIncarnationInTheStatusThatComesWithItsCreate) {
  Scene scene;
  const Decision decision = scene.decide();
  for (const CreateProcess& create : all<CreateProcess>(decision)) {
    EXPECT_EQ(decision.status.members.at(create.process.launch.member).incarnation,
              create.process.launch.fence.incarnation);
  }
}

TEST(Reconcile, LeavesAJobThatRunsAlone) {
  Scene scene;
  scene.start_all();
  const JobStatus settled = scene.status;
  scene.now += seconds(100);
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(decision.status, settled);
  EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(Reconcile, RunsWithTheFewestWorkersAndNamesWhatItWaitsForWithLess) {
  Scene scene;
  scene.start_all();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  scene.current(worker(0)).state = ProcessState::pending;
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).message = "0/3 nodes are available";
  scene.decide();
  const Condition* running = find(scene.status, ConditionType::running);
  EXPECT_FALSE(running->holds);
  EXPECT_EQ(running->reason, "WaitingForMembers");
  EXPECT_EQ(running->message, "worker 0 is starting; worker 1: 0/3 nodes are available");
}

TEST(Reconcile, ReplacesTheFailedMemberAndNobodyElse) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error, "cannot write");
  const Decision decision = scene.decide();
  EXPECT_THAT(names_of(all<CreateProcess>(decision)), ElementsAre("line-pvhrt-ps-0-0-2"));
  EXPECT_EQ(decision.actions.size(), 1U);
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message, "ps 0: PlatformError: cannot write");
}

TEST(Reconcile, GivesEveryStartAnIncarnationOfItsOwnAlsoWhenTheProcessVanished) {
  Scene scene;
  scene.start_all();
  scene.observed.processes.clear();
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())),
              ElementsAre("line-pvhrt-coordinator-0-0-2", "line-pvhrt-ps-0-0-2", "line-pvhrt-worker-0-0-2",
                          "line-pvhrt-worker-1-0-2"));
  EXPECT_EQ(scene.status.members.at(ps(0)).failures, 0);
}

TEST(Reconcile, TakesACoordinatorOnADeadNodeOutOfTheServiceBeforeItsReplacementIsCreated) {
  Scene scene;
  scene.start_all();
  scene.current(coordinator).terminating = true;
  const Decision decision = scene.decide();
  ASSERT_EQ(decision.actions.size(), 2U);
  EXPECT_EQ(decision.actions[0], Action(WithdrawProcess{"line-pvhrt-coordinator-0-0-1"}));
  EXPECT_EQ(std::get<CreateProcess>(decision.actions[1]).process.name, "line-pvhrt-coordinator-0-0-2");
}

TEST(Reconcile, DeletesAStartThatALateCreateBroughtBack) {
  Scene scene;
  scene.start_all();
  ObservedProcess late = scene.current(worker(0));
  scene.exits(worker(0), Exit::bug);
  scene.decide();
  scene.observed.processes.push_back(late);
  const Decision decision = scene.decide();
  EXPECT_THAT(all<DeleteProcess>(decision), ElementsAre(DeleteProcess{late.name, seconds(60)}));
  EXPECT_THAT(all<CreateProcess>(decision), IsEmpty());
}

TEST(Reconcile, RestartsTheWholeJobWhenOneMemberKeepsFailingAndFailsItAtTheLimit) {
  Scene scene;
  scene.spec.run.backoff_limit = 1;
  scene.start_all();
  for (int failure = 0; failure < 2 * member_failures_max; ++failure) {
    ASSERT_FALSE(is_finished(scene.status)) << failure;
    EXPECT_EQ(scene.status.attempt, failure / member_failures_max);
    scene.exits(ps(0), Exit::platform_error);
    scene.decide();
    scene.now += seconds(1000);
    scene.start_all();
  }
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "BackoffLimitExceeded");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.run.backoffLimit allows 1 restart; last: ps 0: PlatformError");
}

TEST(Reconcile, WaitsBeforeTheNextAttemptAndSaysWhenItLooksAgain) {
  Scene scene;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = member_failures_max - 1;
  scene.exits(ps(0), Exit::bug);
  const Decision decision = scene.decide();
  EXPECT_EQ(decision.status.attempt, 1);
  EXPECT_THAT(all<CreateProcess>(decision), IsEmpty());
  EXPECT_EQ(decision.wake_at, scene.now + job_backoff(1));
  scene.now += job_backoff(1);
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())).front(), "line-pvhrt-coordinator-0-1-1");
}

TEST(Reconcile, DoesNotChargeAFailureOfAnOldAttempt) {
  Scene scene;
  scene.start_all();
  ObservedProcess old = scene.current(ps(0));
  old.state = ProcessState::exited;
  old.exit_code = static_cast<int>(Exit::user_error);
  scene.status.members.at(ps(0)).failures = member_failures_max - 1;
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  scene.now += job_backoff(1);
  scene.start_all();
  scene.observed.processes.push_back(old);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(ps(0)).failures, 0);
  EXPECT_FALSE(is_finished(scene.status));
}

TEST(Reconcile, FailsAtOnceWhereARetryGivesTheSame) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(1), Exit::user_error, "spec.data.train.files: no file matches data/*.tfrecord");
  const Decision decision = scene.decide();
  const Condition* failed = find(scene.status, ConditionType::failed);
  EXPECT_EQ(failed->reason, "UserError");
  EXPECT_EQ(failed->message, "worker 1: UserError: spec.data.train.files: no file matches data/*.tfrecord");
  EXPECT_EQ(all<DeleteProcess>(decision).size(), 3U);
}

TEST(Reconcile, EndsAJobWhoseFolderAnotherJobHasClaimed) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::checkpoint_taken, "HEAD belongs to 77aa");
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "CheckpointTaken");
}

TEST(Reconcile, SucceedsWithItsCoordinatorAndLeavesWhatHasExitedToBeLookedAt) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(0), Exit::succeeded);
  EXPECT_THAT(scene.decide().actions, IsEmpty());
  scene.exits(coordinator, Exit::succeeded);
  const Decision decision = scene.decide();
  EXPECT_TRUE(holds(decision.status, ConditionType::succeeded));
  EXPECT_EQ(decision.status.completion_time, scene.now);
  EXPECT_THAT(all<DeleteProcess>(decision), ElementsAre(DeleteProcess{"line-pvhrt-ps-0-0-1", seconds(60)},
                                                        DeleteProcess{"line-pvhrt-worker-1-0-1", seconds(60)}));
}

// Else a sidecar that does not end would hold its node for ever.
TEST(Reconcile, LeavesNothingThatHoldsItsNode) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.current(coordinator).holds_node = true;
  EXPECT_THAT(all<DeleteProcess>(scene.decide()),
              testing::Contains(DeleteProcess{"line-pvhrt-coordinator-0-0-1", seconds(60)}));
}

TEST(Reconcile, CallsNothingARestartWhileTheMembersOfADoneJobEnd) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(0), Exit::succeeded);
  for (int looks = 0; looks < 3; ++looks) {
    EXPECT_FALSE(holds(scene.decide().status, ConditionType::restarting)) << looks;
  }
}

TEST(Reconcile, StartsNoMemberAgainWhileTheLeaderEvaluatesTheLastCommit) {
  Scene scene;
  scene.start_all();
  scene.tells_the_last_commit();
  for (const train::Member& member : {ps(0), worker(0)}) scene.exits(member, Exit::succeeded);
  scene.exits(worker(1), Exit::platform_error);
  scene.decide();
  scene.now += std::chrono::minutes(10);
  const Decision decision = scene.decide();
  EXPECT_TRUE(holds(decision.status, ConditionType::running));
  EXPECT_THAT(all<CreateProcess>(decision), IsEmpty());
  EXPECT_FALSE(holds(decision.status, ConditionType::restarting));
  EXPECT_EQ(decision.wake_at, std::nullopt);
  // Its next start may have to train, if the last commit was not the last one after all.
  scene.exits(coordinator, Exit::platform_error);
  scene.decide();
  EXPECT_TRUE(scene.has(worker(1), {0, 2}));
}

TEST(Reconcile, TellsOfAnotherMembersEndOnlyWhereSomethingWasWrongWithIt) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(0), Exit::bug);
  scene.start_all();
  scene.exits(ps(0), Exit::succeeded);
  scene.exits(worker(0), Exit::succeeded);
  scene.exits(worker(1), Exit::platform_error);
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message, "worker 1: PlatformError");
}

TEST(Reconcile, DecidesNothingOnCountsThatItCannotHaveWritten) {
  for (const int count : {-1, 1'000'000'001}) {
    Scene scene;
    scene.start_all();
    scene.status.members.at(worker(1)).incarnation = count;
    EXPECT_THROW(scene.decide(), std::logic_error);
  }
}

TEST(Reconcile, NeverChangesAFinishedJob) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  const JobStatus finished = scene.status;
  scene.observed.processes.clear();
  scene.observed.has_service = scene.observed.has_config = false;
  scene.spec.run.suspend = true;
  scene.spec.config.training.batch = 0;
  const Decision decision = scene.decide();
  EXPECT_EQ(decision.status, finished);
  EXPECT_THAT(decision.actions, IsEmpty());
}

TEST(Reconcile, ShowsEveryProblemOfASpecBeforeAnythingIsStarted) {
  Scene scene;
  scene.spec.config.training.batch = 0;
  scene.spec.config.training.lanes = 6;
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "InvalidSpec");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.training.batch: is 0; must be from 1 to 2147483647\nspec.training.lanes: is 6; must be a power of "
            "two up to 65536");
}

TEST(Reconcile, FailsAJobWhoseModelCannotBeBeforeAnyProcess) {
  const ModelCheck check = [](const train::Config&) {
    return std::vector<Problem>{{"spec.replicas.ps", "is 5; the model has 3 blocks of parameters, so at most 3"}};
  };
  const Scene scene;
  const Decision decision = reconcile(scene.spec, {}, {}, scene.now, check);
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(find(decision.status, ConditionType::failed)->reason, "InvalidSpec");
  EXPECT_EQ(find(decision.status, ConditionType::failed)->message,
            "spec.replicas.ps: is 5; the model has 3 blocks of parameters, so at most 3");
}

TEST(Reconcile, JudgesNoSpecAfterTheFirstStart) {
  Scene scene;
  scene.start_all();
  scene.spec.config.training.batch = 0;
  scene.exits(worker(1), Exit::platform_error);
  const Decision decision = scene.decide();
  EXPECT_FALSE(is_finished(decision.status));
  EXPECT_THAT(names_of(all<CreateProcess>(decision)), ElementsAre("line-pvhrt-worker-1-0-2"));
}

std::vector<std::string> images_of(const Decision& decision) {
  std::vector<std::string> images;
  for (const CreateProcess& create : all<CreateProcess>(decision)) images.push_back(create.process.image);
  return images;
}

TEST(Image, IsTheClustersAtTheBeginOfTheAttempt) {
  Scene scene;
  scene.observed.trainer_image = "trainer:1";
  EXPECT_THAT(images_of(scene.decide()), ElementsAre("trainer:1", "trainer:1", "trainer:1", "trainer:1"));
  EXPECT_EQ(scene.status.trainer_image, "trainer:1");
  scene.start_all();
  scene.observed.trainer_image = "trainer:2";
  scene.exits(ps(0), Exit::platform_error);
  EXPECT_THAT(images_of(scene.decide()), ElementsAre("trainer:1"));
  scene.start_all();
  scene.status.members.at(ps(0)).failures = 2;
  scene.exits(ps(0), Exit::platform_error);
  scene.decide();
  ASSERT_EQ(scene.status.attempt, 1);
  scene.now += seconds(10);
  EXPECT_THAT(images_of(scene.decide()), ElementsAre("trainer:2", "trainer:2", "trainer:2", "trainer:2"));
  EXPECT_EQ(scene.status.trainer_image, "trainer:2");
}

TEST(Image, OfAnAttemptOfAReleaseThatDidNotRecordItIsTheClusters) {
  Scene scene;
  scene.start_all();
  scene.observed.trainer_image = "trainer:2";
  scene.decide();
  EXPECT_EQ(scene.status.trainer_image, "trainer:2");
  scene.exits(worker(1), Exit::platform_error);
  EXPECT_THAT(images_of(scene.decide()), ElementsAre("trainer:2"));
}

TEST(SetClock, BackByAnHourHoldsNoMemberLongerThanItsRest) {
  Scene scene;
  scene.start_all();
  for (int failures = 0; failures < 2; ++failures) {
    scene.exits(worker(1), Exit::platform_error);
    scene.decide();
  }
  ASSERT_EQ(scene.status.members.at(worker(1)).not_before, scene.now + seconds(10));
  scene.now -= std::chrono::hours(1);
  EXPECT_EQ(scene.decide().wake_at, scene.now + leader_exit_timeout);
  scene.now += leader_exit_timeout;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-worker-1-0-3"));
}

TEST(SetClock, BackByAnHourHoldsNoAttemptLongerThanItsRest) {
  Scene scene;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = 2;
  scene.exits(ps(0), Exit::platform_error);
  scene.decide();
  ASSERT_EQ(scene.status.attempt, 1);
  scene.now -= std::chrono::hours(1);
  EXPECT_EQ(scene.decide().wake_at, scene.now + job_backoff(1));
}

TEST(SetClock, BackByAnHourDrainsNoLongerThanTheSpecSays) {
  Scene scene;
  scene.start_all();
  scene.spec.run.suspend = true;
  scene.decide();
  scene.now -= std::chrono::hours(1);
  EXPECT_EQ(scene.decide().status.drain_deadline, scene.now + scene.spec.run.drain);
}

}  // namespace
}  // namespace carrack::control
