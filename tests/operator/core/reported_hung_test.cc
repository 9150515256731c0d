// Members that run, and of which the coordinator says that they hang.
#include "operator/core/reported_hung.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// The coordinator says it of this start.
void report(Scene& scene, const train::Member& member, int incarnation,
            const std::string& why = "no worker reaches it") {
  const train::Fence fence = scene.current(coordinator).fence;
  if (!scene.observed.report || scene.observed.report->fence != fence) {
    scene.observed.report = CoordinatorReport{fence, {20, 100}, std::nullopt};
  }
  scene.observed.report->hung.push_back({member, incarnation, why});
}

int incarnation_of(const Scene& scene, const train::Member& member) {
  return scene.status.members.at(member).incarnation;
}

void run_all(Scene& scene) {
  for (ObservedProcess& process : scene.observed.processes) {
    if (process.state == ProcessState::pending) process.state = ProcessState::running;
  }
}

TEST(ReportedHung, AreReplacedWithoutACharge) {
  for (const train::Member& member : {ps(0), worker(1)}) {
    Scene scene;
    scene.start_all();
    scene.current(member).node = "node-7";
    const std::string name = scene.current(member).name;
    report(scene, member, 1);
    const Decision decision = scene.decide();
    const std::vector<DeleteProcess> deletes = all<DeleteProcess>(decision);
    ASSERT_THAT(deletes, SizeIs(1));
    EXPECT_EQ(deletes[0].name, name);
    EXPECT_EQ(deletes[0].grace, scene.spec.run.drain);
    EXPECT_THAT(all<CreateProcess>(decision), SizeIs(1));
    const MemberStatus& start = scene.status.members.at(member);
    EXPECT_EQ(start.incarnation, 2);
    EXPECT_EQ(start.failures, 0);
    EXPECT_EQ(start.disruptions, 1);
    EXPECT_EQ(start.reported_hung, scene.now);
    EXPECT_EQ(scene.status.restarts, 0);
    EXPECT_EQ(scene.status.last_failure->reason, "Hung");
    EXPECT_EQ(scene.status.last_failure->message, "hung: no worker reaches it");
    EXPECT_EQ(find(scene.status, ConditionType::restarting)->message,
              describe(member) + ": hung: no worker reaches it (on node-7)");
  }
}

TEST(ReportedHung, AreOnlyTheStartsThatAreNamed) {
  for (const int incarnation : {-1, 0, 2, 1'000'000'000}) {
    Scene scene;
    scene.start_all();
    report(scene, worker(1), incarnation);
    EXPECT_THAT(scene.decide().actions, IsEmpty()) << incarnation;
  }
}

TEST(ReportedHung, AreNeitherTheLeaderNorMembersThatTheJobHasNot) {
  Scene scene;
  scene.start_all();
  report(scene, coordinator, 1);
  report(scene, worker(700), 1);
  report(scene, ps(1), 1);
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(decision.wake_at, std::nullopt);
}

TEST(ReportedHung, AreNoneOfWhichAnEarlierCoordinatorSpeaks) {
  Scene scene;
  scene.start_all();
  report(scene, worker(1), 1);
  scene.observed.report->fence.incarnation = 7;
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(ReportedHung, AreNoneThatDoNotRun) {
  Scene scene;
  scene.start_all();
  scene.current(worker(1)).state = ProcessState::pending;
  report(scene, worker(1), 1);
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(ReportedHung, AreReplacedOnceInTenMinutes) {
  Scene scene;
  scene.start_all();
  report(scene, worker(1), 1);
  scene.decide();
  run_all(scene);
  const Time first = scene.now;
  scene.now += seconds(1);
  report(scene, worker(1), 2);
  EXPECT_EQ(scene.decide().wake_at, first + hung_again_after);
  scene.now = first + hung_again_after - seconds(1);
  scene.decide();
  EXPECT_EQ(incarnation_of(scene, worker(1)), 2);
  scene.now += seconds(1);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(1)).reported_hung, scene.now);
  scene.now += disruption_backoff(2);
  scene.decide();
  EXPECT_EQ(incarnation_of(scene, worker(1)), 3);
}

TEST(ReportedHung, AreReplacedOneAMinute) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  for (const train::Member& member : {ps(0), worker(0), worker(1)}) report(scene, member, 1);
  const Time first = scene.now;
  EXPECT_EQ(scene.decide().wake_at, first + next_hung_after);
  run_all(scene);
  const auto replaced = [&] {
    return incarnation_of(scene, ps(0)) + incarnation_of(scene, worker(0)) + incarnation_of(scene, worker(1)) - 3;
  };
  EXPECT_EQ(replaced(), 1);
  scene.now = first + next_hung_after - seconds(1);
  scene.decide();
  EXPECT_EQ(replaced(), 1);
  scene.now += seconds(1);
  scene.decide();
  EXPECT_EQ(replaced(), 2);
}

TEST(ReportedHung, AreNotWaitedForLongerIfTheClockIsSetBack) {
  Scene scene;
  scene.start_all();
  scene.status.members.at(worker(1)).reported_hung = scene.now + std::chrono::hours(24);
  report(scene, worker(1), 1);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(1)).reported_hung, scene.now);
  scene.now += hung_again_after;
  scene.decide();
  EXPECT_EQ(incarnation_of(scene, worker(1)), 2);
}

}  // namespace
}  // namespace carrack::control
