#include "operator/core/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using train::Role;

TEST(Suspend, StartsNothingOfAJobThatIsCreatedSuspended) {
  Scene scene;
  scene.spec.run.suspend = true;
  EXPECT_THAT(scene.decide().actions, IsEmpty());
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Suspend, AsksTheWorkersToLeaveThenTheCoordinatorAndThenTheServers) {
  Scene scene;
  scene.start_all();
  const auto roles_of_deletes = [&] {
    std::vector<std::string> names;
    for (const DeleteProcess& one : all<DeleteProcess>(scene.decide())) names.push_back(one.name);
    return names;
  };
  scene.spec.run.suspend = true;
  EXPECT_THAT(roles_of_deletes(), ElementsAre("line-pvhrt-worker-0-0-1", "line-pvhrt-worker-1-0-1"));
  EXPECT_EQ(find(scene.status, ConditionType::suspended)->reason, "Draining");
  EXPECT_EQ(find(scene.status, ConditionType::running)->message, "workers leave, then the coordinator commits");

  EXPECT_THAT(roles_of_deletes(), ElementsAre("line-pvhrt-coordinator-0-0-1"));
  EXPECT_EQ(find(scene.status, ConditionType::running)->message, "the workers have left; the coordinator commits");
  EXPECT_FALSE(holds(scene.status, ConditionType::suspended));

  EXPECT_THAT(roles_of_deletes(), ElementsAre("line-pvhrt-ps-0-0-1"));
  EXPECT_FALSE(holds(scene.status, ConditionType::suspended));
  EXPECT_THAT(scene.observed.processes, IsEmpty());
  EXPECT_THAT(roles_of_deletes(), IsEmpty());
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Suspend, WaitsForProcessesThatAreToEnd) {
  Scene scene;
  scene.start_all();
  const std::vector<ObservedProcess> all_that_ran = scene.observed.processes;
  scene.spec.run.suspend = true;
  const Decision first = scene.decide();
  EXPECT_EQ(first.wake_at, scene.now + scene.spec.run.drain);
  scene.observed.processes = all_that_ran;
  for (ObservedProcess& process : scene.observed.processes) process.terminating = process.member.role == Role::worker;
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), IsEmpty()) << "the workers still end";
  std::erase_if(scene.observed.processes, [](const auto& process) { return process.member.role == Role::worker; });
  ObservedProcess leaves = scene.current(coordinator);
  scene.decide();
  leaves.terminating = true;
  scene.observed.processes.push_back(leaves);
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), IsEmpty()) << "the coordinator still commits";
  scene.observed.processes.back().state = ProcessState::exited;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 1U);
}

TEST(Suspend, HoldsOnceNoProcessIsLeftButThoseOnLostNodes) {
  Scene scene;
  scene.start_all();
  ObservedProcess server = scene.current(ps(0));
  server.terminating = true;
  server.node = "n1";
  scene.spec.run.suspend = true;
  scene.now += scene.spec.run.drain;
  for (int n = 0; n < 4; ++n) scene.decide();
  ASSERT_TRUE(holds(scene.status, ConditionType::suspended));
  scene.observed.processes.push_back(server);
  scene.decide();
  const Condition& suspended = *find(scene.status, ConditionType::suspended);
  EXPECT_FALSE(suspended.holds);
  EXPECT_EQ(suspended.message, "ps 0 has not ended (on n1)");
  scene.observed.processes.back().disrupted = true;
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Suspend, WaitsNoLongerThanDrainSeconds) {
  Scene scene;
  scene.start_all();
  const ObservedProcess leaves = scene.current(worker(0));
  scene.spec.run.suspend = true;
  scene.decide();
  scene.observed.processes.push_back(leaves);
  scene.observed.processes.back().terminating = true;
  scene.now += scene.spec.run.drain;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 2U) << "of coordinator and server";
  EXPECT_FALSE(holds(scene.status, ConditionType::suspended));
  scene.observed.processes.clear();
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Suspend, DoesNotChargeTheEndsThatItAskedFor) {
  Scene scene;
  scene.start_all();
  const ObservedProcess asked = scene.current(worker(0));
  scene.spec.run.suspend = true;
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
  scene.spec.run.suspend = true;
  const ObservedProcess leaves = scene.current(worker(0));
  scene.decide();
  scene.observed.processes.push_back(leaves);
  scene.exits(coordinator, train::Exit::bug);
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())), std::vector<std::string>{"line-pvhrt-coordinator-0-0-2"});
}

TEST(Suspend, StopsTheOneProcessOfSingleAtOnceAsItCommitsByItself) {
  Scene scene;
  scene.spec.config.strategy = train::Strategy::single;
  scene.spec.config.ps = {0, 0};
  scene.spec.config.workers = {1, 1};
  scene.start_all();
  scene.spec.run.suspend = true;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 1U);
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
}

TEST(Resume, StartsEveryMemberWithItsNextIncarnation) {
  Scene scene;
  scene.start_all();
  scene.spec.run.suspend = true;
  for (int n = 0; n < 4; ++n) scene.decide();
  ASSERT_TRUE(holds(scene.status, ConditionType::suspended));
  scene.spec.run.suspend = false;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())).back(), "line-pvhrt-worker-1-0-2");
  EXPECT_EQ(find(scene.status, ConditionType::suspended)->reason, "Resumed");
}

TEST(Room, WorkersAboveMinLeaveTheirNodesToACoordinatorThatFindsNone) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  scene.exits(coordinator, train::Exit::bug);
  scene.decide();
  scene.current(coordinator).wait = Wait::unschedulable;
  std::vector<std::string> left;
  for (const DeleteProcess& deleted : all<DeleteProcess>(scene.decide())) left.push_back(deleted.name);
  EXPECT_EQ(left, (std::vector<std::string>{"line-pvhrt-worker-1-0-1", "line-pvhrt-worker-2-0-1"}));
  EXPECT_TRUE(scene.decide().actions.empty()) << "they do not take the room again";
  EXPECT_EQ(scene.status.members.at(worker(2)).failures, 0);
  EXPECT_EQ(scene.status.replicas.at(train::Role::worker).desired, 3);
  scene.current(coordinator).wait = Wait::starting;
  scene.current(coordinator).state = ProcessState::running;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())),
            (std::vector<std::string>{"line-pvhrt-worker-1-0-2", "line-pvhrt-worker-2-0-2"}));
}

TEST(Room, WorkersWithoutANodeKeepTheirPods) {
  Scene scene(some_job(1, 3));
  scene.decide();
  for (ObservedProcess& process : scene.observed.processes) process.wait = Wait::unschedulable;
  EXPECT_TRUE(scene.decide().actions.empty()) << "a cluster that adds nodes sees all that is lacking";
}

TEST(Room, AWorkerThatWasNeverStartedIsNotTakenForOneThatRuns) {
  Scene scene(some_job(1, 1));
  scene.start_all();
  scene.exits(ps(0), train::Exit::bug);
  scene.decide();
  scene.current(ps(0)).wait = Wait::unschedulable;
  scene.spec.config.workers.max = 2;
  EXPECT_TRUE(all<CreateProcess>(scene.decide()).empty());
  JobStatus stored = scene.status;
  leave_out_first_starts(stored);
  restore_first_starts(stored);
  EXPECT_EQ(stored, scene.status);
}

TEST(Scale, EndsWorkersAboveTheMostAndKeepsCountingWhenTheyComeBack) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  scene.spec.config.workers.max = 1;
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 2U);
  scene.spec.config.workers.max = 2;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())), std::vector<std::string>{"line-pvhrt-worker-1-0-2"});
}

TEST(Scale, BetweenMinAndMaxIsToAsManyAsCountSays) {
  Scene scene(some_job(1, 3));
  scene.spec.worker_count = 1;
  scene.start_all();
  EXPECT_EQ(scene.status.replicas.at(train::Role::worker), (ReplicaStatus{1, 0, 1}));
  scene.spec.worker_count = 3;
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())),
            (std::vector<std::string>{"line-pvhrt-worker-1-0-1", "line-pvhrt-worker-2-0-1"}));
  EXPECT_TRUE(holds(scene.status, ConditionType::running)) << "as many as min run";
  EXPECT_EQ(scene.status.replicas.at(train::Role::worker), (ReplicaStatus{3, 2, 1}));
}

TEST(Scale, WithCountAloneTheJobRunsWithAllOfTheNewNumber) {
  Scene scene(some_job(1, 1));
  scene.start_all();
  ASSERT_TRUE(holds(scene.status, ConditionType::running));
  scene.spec.config.workers = {2, 2};
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::running));
  EXPECT_FALSE(holds(scene.status, ConditionType::restarting)) << "nothing has ended";
  scene.start_all();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  scene.observed.processes.back().state = ProcessState::pending;
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::running));
  scene.spec.config.workers = {1, 1};
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::running)) << "the worker that waited is not wanted any more";
}

TEST(Scale, DoesNotChargeWorkersThatItEnds) {
  Scene scene(some_job(1, 2));
  scene.start_all();
  const ObservedProcess leaves = scene.current(worker(1));
  scene.spec.config.workers.max = 1;
  scene.decide();
  scene.observed.processes.push_back(leaves);
  scene.observed.processes.back().state = ProcessState::exited;
  scene.observed.processes.back().exit_code = 137;
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(1)).failures, 0);
  EXPECT_EQ(scene.status.members.at(worker(1)).incarnation, 1) << "it keeps counting from here";
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
}

TEST(Scale, IsNotPossibleOnceTheJobHasEnded) {
  Scene scene(some_job(1, 1));
  scene.start_all();
  scene.exits(coordinator, train::Exit::user_error);
  scene.decide();
  ASSERT_TRUE(is_finished(scene.status));
  scene.spec.config.workers = {3, 3};
  ++scene.spec.generation;
  const Decision decision = scene.decide();
  EXPECT_TRUE(all<CreateProcess>(decision).empty());
  EXPECT_EQ(decision.status.observed_generation, scene.spec.generation);
}

TEST(Scale, TheWorkersAreFoundByTheClustersSelector) {
  Scene scene;
  scene.start_all();
  EXPECT_EQ(scene.status.worker_selector, "") << "of processes without labels";
  scene.observed.worker_selector = "carrack.dev/role=worker";
  scene.decide();
  EXPECT_EQ(scene.status.worker_selector, "carrack.dev/role=worker");
}

}  // namespace
}  // namespace carrack::control
