// Processes that run and do not answer: when they count as hung, and what follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Falls silent now, as its node shows it.
void fall_silent(Scene& scene, const train::Member& member) {
  ObservedProcess& process = scene.current(member);
  process.silent_since = scene.now;
  process.message = "its /healthz did not answer";
  process.node = "node-7";
}

TEST(Hung, AreReplacedWithoutAChargeWhateverTheirRole) {
  for (const train::Member& member : {coordinator, ps(0), worker(1)}) {
    Scene scene;
    scene.start_all();
    fall_silent(scene, member);
    const std::string name = scene.current(member).name;
    scene.now += silence_max;
    const Decision decision = scene.decide();
    const std::vector<DeleteProcess> deletes = all<DeleteProcess>(decision);
    ASSERT_THAT(deletes, SizeIs(1));
    EXPECT_EQ(deletes[0].name, name);
    EXPECT_EQ(deletes[0].grace, seconds(1));
    ASSERT_THAT(all<CreateProcess>(decision), SizeIs(1));
    const MemberStatus& start = scene.status.members.at(member);
    EXPECT_EQ(start.incarnation, 2);
    EXPECT_EQ(start.failures, 0);
    EXPECT_EQ(start.disruptions, 1);
    EXPECT_EQ(scene.status.last_failure->reason, "Hung");
    EXPECT_EQ(find(scene.status, ConditionType::restarting)->message,
              describe(member) + ": hung: its /healthz did not answer (on node-7)");
  }
}

TEST(Hung, AreNotThoseThatWereSilentForAMoment) {
  Scene scene;
  scene.start_all();
  fall_silent(scene, ps(0));
  const Time since = scene.now;
  for (; scene.now < since + silence_max; scene.now += seconds(1)) {
    const Decision decision = scene.decide();
    EXPECT_THAT(decision.actions, IsEmpty());
    EXPECT_EQ(decision.wake_at, since + silence_max);
  }
  scene.current(ps(0)).silent_since.reset();
  scene.current(ps(0)).message = "";
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, IsEmpty());
  EXPECT_EQ(decision.wake_at, std::nullopt);
  EXPECT_EQ(scene.status.members.at(ps(0)).incarnation, 1);
}

TEST(Hung, AreNotThoseThatAreSilentForAMomentWhenTheyAreToLeave) {
  Scene scene;
  scene.start_all();
  fall_silent(scene, worker(1));
  scene.spec.worker_count = 1;
  const std::vector<DeleteProcess> deletes = all<DeleteProcess>(scene.decide());
  ASSERT_THAT(deletes, SizeIs(1));
  EXPECT_EQ(deletes[0].grace, scene.spec.run.drain);
}

TEST(Hung, AreNotThoseThatTheClusterEndsForAnotherCause) {
  Scene scene;
  scene.start_all();
  fall_silent(scene, worker(1));
  ObservedProcess& process = scene.current(worker(1));
  process.terminating = process.disrupted = true;
  process.cause = EndCause::evicted;
  scene.decide();
  EXPECT_EQ(scene.status.last_failure->reason, "Evicted");
  EXPECT_EQ(scene.status.last_failure->message, "is taken away by the cluster");
}

TEST(Hung, ThatAreBeingDeletedAreReplacedAtOnce) {
  Scene scene;
  scene.start_all();
  fall_silent(scene, worker(0));
  scene.current(worker(0)).terminating = true;
  EXPECT_THAT(all<CreateProcess>(scene.decide()), SizeIs(1));
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message,
            "worker 0: is taken away by the cluster (on node-7)");
}

// How its process ends once it is deleted says nothing of the job.
TEST(Hung, AreNoMatterOfFailureRules) {
  Scene scene;
  scene.spec.run.failure_rules = {{.exit_codes = {137}, .action = FailureAction::fail},
                                  {.causes = {EndCause::node_lost, EndCause::evicted}, .action = FailureAction::fail}};
  scene.start_all();
  fall_silent(scene, ps(0));
  scene.now += silence_max;
  scene.decide();
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_EQ(scene.status.members.at(ps(0)).incarnation, 2);
}

}  // namespace
}  // namespace carrack::control
