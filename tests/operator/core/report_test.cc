#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using train::Exit;

TEST(Report, ForgivesFailuresOnceSomethingWasCommitted) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(0), Exit::bug);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 1);
  scene.observed.report = CoordinatorReport{{0, 1}, {20, 100}, LastCheckpoint{20, "step-20"}};
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
  EXPECT_EQ(scene.status.progress, (Progress{20, 100}));
}

// A job that has committed step 40, and whose coordinator has been started again since.
Scene with_a_commit() {
  Scene scene;
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 1}, {45, 100}, LastCheckpoint{40, "checkpoint-40.manifest"}};
  scene.decide();
  scene.exits(coordinator, Exit::platform_error);
  scene.start_all();
  return scene;
}

TEST(Report, KeepsTheLastEvaluationOverARestartOfTheCoordinator) {
  Scene scene;
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 1}, {45, 100}, LastCheckpoint{40, "checkpoint-40.manifest"}};
  scene.observed.report->evaluation = EvaluationStatus{40, 0.5};
  scene.observed.report->best_checkpoint = BestCheckpoint{40, "checkpoint-40.manifest", 0.5};
  scene.decide();
  scene.exits(coordinator, Exit::platform_error);
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 2}, {40, 100}, LastCheckpoint{40, "checkpoint-40.manifest"}};
  scene.decide();
  EXPECT_EQ(scene.status.evaluation, (EvaluationStatus{40, 0.5}));
  EXPECT_EQ(scene.status.best_checkpoint, (BestCheckpoint{40, "checkpoint-40.manifest", 0.5}));
}

TEST(Report, FailsAJobWhoseLastCommitIsGone) {
  Scene scene = with_a_commit();
  scene.observed.report = CoordinatorReport{{0, 2}, {0, 100}, std::nullopt};
  const Decision decision = scene.decide();
  const Condition* failed = find(scene.status, ConditionType::failed);
  EXPECT_EQ(failed->reason, "CheckpointLost");
  EXPECT_EQ(failed->message,
            "spec.checkpoint.folder: out holds no commit, and step 40 was committed there (checkpoint-40.manifest); "
            "restore the newest HEAD and the files of that name");
  EXPECT_EQ(all<DeleteProcess>(decision).size(), 4U);
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{40, "checkpoint-40.manifest"}));
}

TEST(Report, FailsAJobWhoseLastCommitGaveWayToAnOlderOne) {
  Scene scene = with_a_commit();
  scene.observed.report = CoordinatorReport{{0, 2}, {20, 100}, LastCheckpoint{20, "checkpoint-20.manifest"}};
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.checkpoint.folder: out holds only step 20, and step 40 was committed there (checkpoint-40.manifest); "
            "restore the newest HEAD and the files of that name");
}

TEST(Report, TakesAnOldReportOfTheSameStartForNothingElse) {
  Scene scene = with_a_commit();
  const CoordinatorReport early{{0, 2}, {41, 100}, LastCheckpoint{40, "checkpoint-40.manifest"}};
  scene.observed.report = CoordinatorReport{{0, 2}, {60, 100}, LastCheckpoint{60, "checkpoint-60.manifest"}};
  scene.decide();
  const JobStatus before = scene.status;
  scene.observed.report = early;
  scene.decide();
  EXPECT_EQ(scene.status, before);
}

TEST(Report, SaysOfDataThatIsNotReadyNothingElse) {
  Scene scene = with_a_commit();
  const auto running = [&] { return *find(scene.status, ConditionType::running); };
  EXPECT_EQ(running().reason, "MembersRunning");
  scene.observed.report = CoordinatorReport{
      {0, 2}, {}, std::nullopt, DataWork{.files = 3, .total_files = 12, .bytes = 1200, .total_bytes = 4800}};
  scene.decide();
  EXPECT_FALSE(running().holds);
  EXPECT_EQ(running().reason, "Indexing");
  EXPECT_EQ(running().message, "searching the data files for where the records are: 3 of 12 files, 25% of their bytes");
  EXPECT_FALSE(holds(scene.status, ConditionType::failed));
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{40, "checkpoint-40.manifest"}));
  scene.observed.report->data_work->kind = DataWork::Kind::snapshot;
  scene.decide();
  EXPECT_FALSE(running().holds);
  EXPECT_EQ(running().reason, "Preparing");
  EXPECT_EQ(running().message, "writing the snapshot of the data: 3 of 12 files, 25% of their bytes");
  scene.observed.report->data_work =
      DataWork{.kind = DataWork::Kind::statistics, .records = 300, .total_records = 1200};
  scene.decide();
  EXPECT_EQ(running().reason, "Preparing");
  EXPECT_EQ(running().message, "computing mean and deviation of the data: 300 of 1200 records");
  scene.observed.report->data_work = DataWork{.kind = DataWork::Kind::take_over};
  scene.decide();
  EXPECT_FALSE(running().holds);
  EXPECT_EQ(running().reason, "WaitingForFolder");
  EXPECT_EQ(running().message,
            "another job has claimed spec.checkpoint.folder; waiting until it has ended. Its UID is in the log");
  scene.observed.report->data_work = DataWork{.files = 1, .bytes = std::numeric_limits<std::int64_t>::max()};
  scene.decide();
  EXPECT_EQ(running().message, "searching the data files for where the records are: 1 of 0 files, 100% of their bytes");
  scene.observed.report = CoordinatorReport{{0, 2}, {41, 100}, LastCheckpoint{40, "checkpoint-40.manifest"}};
  scene.decide();
  EXPECT_EQ(running().reason, "MembersRunning");
}

TEST(Report, SaysNothingOfDataWhereMembersAreMissing) {
  Scene scene = with_a_commit();
  scene.observed.report = CoordinatorReport{
      {0, 2}, {}, std::nullopt, DataWork{.files = 3, .total_files = 12, .bytes = 1200, .total_bytes = 4800}};
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::running)->reason, "WaitingForMembers");
}

TEST(Report, IsWhatASuccessIsBelievedFor) {
  Scene scene = with_a_commit();
  scene.observed.report = CoordinatorReport{{0, 2}, {100, 100}, LastCheckpoint{80, "checkpoint-80.manifest"}};
  scene.current(coordinator).state = ProcessState::exited;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-coordinator-0-0-3"));
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message,
            "coordinator 0: Succeeded, but reported no commit of the last step");
  EXPECT_EQ(scene.status.members.at(coordinator).failures, 1);
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{100, "checkpoint-100.manifest"}));
}

TEST(Report, OfTheEndIsEnoughForASuccess) {
  Scene scene = with_a_commit();
  scene.observed.report.reset();  // Nobody could read the progress.
  scene.current(coordinator).state = ProcessState::exited;
  scene.current(coordinator).final_report =
      CoordinatorReport{{0, 2}, {100, 100}, LastCheckpoint{100, "checkpoint-100.manifest"}};
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{100, "checkpoint-100.manifest"}));
}

TEST(Report, OfAnEndWithFailureClearsTheFailuresBeforeItsCommit) {
  Scene scene = with_a_commit();
  for (int failures = 1; failures <= 2; ++failures) {
    scene.exits(worker(0), Exit::bug);
    scene.decide();
    scene.now += std::chrono::minutes(1);
    scene.start_all();
  }
  scene.observed.report.reset();
  scene.current(coordinator).final_report =
      CoordinatorReport{{0, 2}, {45, 100}, LastCheckpoint{45, "checkpoint-45.manifest"}};
  scene.exits(coordinator, Exit::platform_error, "no memory");
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{45, "checkpoint-45.manifest"}));
}

TEST(Report, ThatNobodyCanReadIsSaid) {
  Scene scene;
  scene.start_all();
  scene.observed.report_unreachable = true;
  scene.decide();
  const Condition& running = *find(scene.status, ConditionType::running);
  EXPECT_TRUE(running.holds);
  EXPECT_EQ(running.reason, "ProgressUnreachable");
  EXPECT_EQ(
      running.message,
      "the coordinator's progress cannot be read, so it is not shown here; does a NetworkPolicy keep the operator "
      "from port 7401 of the pods?");
}

TEST(Report, OfAnEarlierStartMakesNoSuccess) {
  Scene scene;
  scene.start_all();
  scene.tells_the_last_commit();
  scene.decide();
  scene.exits(coordinator, Exit::bug);
  scene.start_all();
  scene.current(coordinator).state = ProcessState::exited;
  scene.decide();
  EXPECT_FALSE(is_finished(scene.status));
}

TEST(Report, KnowsNoProgressUntilTheNewCoordinatorTellsIt) {
  const Scene scene = with_a_commit();
  EXPECT_EQ(scene.status.progress, std::nullopt);
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{40, "checkpoint-40.manifest"}));
}

TEST(Report, DoesNotBelieveTheReportOfASupersededCoordinator) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::bug);
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 1}, {99, 100}, std::nullopt};
  scene.decide();
  EXPECT_EQ(scene.status.progress, std::nullopt);
}

TEST(Report, IsBelievedOfALeaderThatCommitsAsItLeaves) {
  Scene scene;
  scene.spec.config.strategy = train::Strategy::single;
  scene.spec.config.ps = {};
  scene.spec.config.workers = {1, 1};
  scene.start_all();
  scene.spec.run.suspend = true;
  scene.decide();
  scene.decide();
  ASSERT_TRUE(holds(scene.status, ConditionType::suspended));
  scene.observed.report = CoordinatorReport{{0, 1}, {45, 100}, LastCheckpoint{45, "checkpoint-45.manifest"}};
  scene.decide();
  EXPECT_EQ(scene.status.progress, (Progress{45, 100}));
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{45, "checkpoint-45.manifest"}));
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Report, StartsEveryMemberOfAFailedJobAnewOnceItIsTriedAgain) {
  Scene scene = with_a_commit();
  scene.exits(worker(1), Exit::user_error, "no such file");
  scene.decide();
  ASSERT_TRUE(is_finished(scene.status));
  scene.status = retry_failed_job(scene.status);
  EXPECT_EQ(scene.status.completion_time, std::nullopt);
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())),
              ElementsAre("line-pvhrt-coordinator-0-1-1", "line-pvhrt-ps-0-1-1", "line-pvhrt-worker-0-1-1",
                          "line-pvhrt-worker-1-1-1"));
  scene.start_all();
  EXPECT_EQ(headline_condition(scene.status)->type, ConditionType::running);
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_EQ(scene.status.last_checkpoint, (LastCheckpoint{40, "checkpoint-40.manifest"}));
}

}  // namespace
}  // namespace carrack::control
