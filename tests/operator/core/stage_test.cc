#include "operator/core/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;

CoordinatorReport drained() {
  return {{0, 1}, {40, 100}, LastCheckpoint{40, "step-40"}, true};
}

TEST(Suspend, StartsNothingOfAJobThatIsCreatedSuspended) {
  Scene scene;
  scene.spec.suspend = true;
  EXPECT_THAT(scene.decide().actions, IsEmpty());
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Suspend, AsksTheWorkersToLeaveFirstAndKeepsTheOthersUntilAllIsCommitted) {
  Scene scene;
  scene.start_all();
  scene.spec.suspend = true;
  const Decision decision = scene.decide();
  EXPECT_EQ(all<DeleteProcess>(decision).size(), 2U);
  EXPECT_EQ(decision.wake_at, scene.now + scene.spec.drain);
  EXPECT_FALSE(holds(scene.status, ConditionType::suspended));
  EXPECT_EQ(find(scene.status, ConditionType::suspended)->reason, "Draining");

  scene.observed.report = drained();
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 2U);
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
  EXPECT_THAT(scene.observed.processes, IsEmpty());
}

TEST(Suspend, WaitsNoLongerThanDrainSeconds) {
  Scene scene;
  scene.start_all();
  scene.spec.suspend = true;
  scene.decide();
  scene.now += scene.spec.drain;
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
  EXPECT_THAT(scene.observed.processes, IsEmpty());
}

TEST(Suspend, DoesNotChargeTheEndsThatItAskedFor) {
  Scene scene;
  scene.start_all();
  const ObservedProcess asked = scene.current(worker(0));
  scene.spec.suspend = true;
  scene.decide();
  scene.observed.processes.push_back(asked);
  scene.observed.processes.back().state = ProcessState::exited;
  scene.observed.processes.back().exit_code = 137;
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
}

TEST(Suspend, ReplacesACoordinatorThatDiesWhileWorkersLeave) {
  Scene scene;
  scene.start_all();
  scene.spec.suspend = true;
  scene.decide();
  scene.exits(coordinator, train::Exit::bug);
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())), std::vector<std::string>{"line-pvhrt-coordinator-0-0-2"});
}

TEST(Suspend, StopsTheOneProcessOfSingleAtOnceAsItCommitsByItself) {
  Scene scene;
  scene.spec.config.strategy = train::Strategy::single;
  scene.spec.config.ps = {0, 0};
  scene.spec.config.workers = {1, 1};
  scene.start_all();
  scene.spec.suspend = true;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 1U);
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Resume, StartsEveryMemberWithItsNextIncarnation) {
  Scene scene;
  scene.start_all();
  scene.spec.suspend = true;
  scene.decide();
  scene.observed.report = drained();
  scene.decide();
  scene.spec.suspend = false;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())).back(), "line-pvhrt-worker-1-0-2");
  EXPECT_EQ(find(scene.status, ConditionType::suspended)->reason, "Resumed");
}

TEST(Scale, EndsWorkersAboveTheMostAndKeepsCountingWhenTheyComeBack) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  scene.spec.config.workers.max = 1;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 2U);
  scene.spec.config.workers.max = 2;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())), std::vector<std::string>{"line-pvhrt-worker-1-0-2"});
}

}  // namespace
}  // namespace carrack::control
