// The reason of a job that does not run: the wait of the member that it needs last.
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

Condition running(const Scene& scene) {
  return *find(scene.status, ConditionType::running);
}

void wait(Scene& scene, const train::Member& member, Wait wait, const std::string& words) {
  ObservedProcess& process = scene.current(member);
  process.state = ProcessState::pending;
  process.wait = wait;
  process.message = words;
}

TEST(Waits, OfOneMemberGiveTheJobTheirReason) {
  const std::vector<std::pair<Wait, std::string>> reasons = {
      {Wait::starting, "WaitingForMembers"},           {Wait::not_answered, "NotAnswered"},
      {Wait::unschedulable, "Unschedulable"},          {Wait::node_refused, "NodeRefused"},
      {Wait::volume_unavailable, "VolumeUnavailable"}, {Wait::image_unavailable, "ImageUnavailable"},
      {Wait::quota_exceeded, "QuotaExceeded"},         {Wait::denied, "Denied"}};
  for (const auto& [kind, reason] : reasons) {
    Scene scene;
    scene.start_all();
    wait(scene, ps(0), kind, "words");
    scene.decide();
    EXPECT_FALSE(running(scene).holds);
    EXPECT_EQ(running(scene).reason, reason);
    EXPECT_EQ(running(scene).message, "ps 0: words");
  }
}

TEST(Waits, OfRefusedMembersHaveTheReasonOfTheRefusal) {
  const std::vector<std::pair<Refusal, std::string>> reasons = {{Refusal::quota, "QuotaExceeded"},
                                                                {Refusal::denied, "Denied"},
                                                                {Refusal::not_now, "NotAnswered"},
                                                                {Refusal::unanswered, "NotAnswered"}};
  for (const auto& [refusal, reason] : reasons) {
    Scene scene;
    scene.refused[ps(0)] = refusal;
    scene.start_all();
    EXPECT_EQ(running(scene).reason, reason);
  }
  Scene scene;
  scene.start_all();
  scene.observed.has_service = false;
  wait(scene, ps(0), Wait::unschedulable, "no room");
  scene.observed.answers[service_name(scene.spec)] = {.refusal = Refusal::quota, .words = "no"};
  scene.decide();
  EXPECT_EQ(running(scene).reason, "QuotaExceeded");
}

TEST(Waits, OfWorkersThatTheJobCanDoWithoutGiveNoReason) {
  Scene scene(some_job(1, 4));
  scene.spec.config.workers.min = 2;
  scene.start_all();
  wait(scene, worker(0), Wait::quota_exceeded, "no quota");
  wait(scene, worker(1), Wait::unschedulable, "no room");
  wait(scene, worker(2), Wait::starting, "");
  scene.current(worker(3)).state = ProcessState::pending;
  scene.decide();
  EXPECT_EQ(running(scene).reason, "WaitingForMembers");
  EXPECT_EQ(running(scene).message, "worker 0: no quota; worker 1: no room; 2 of 4 workers (2, 3) are starting");
  scene.spec.config.workers.min = 3;
  scene.decide();
  EXPECT_EQ(running(scene).reason, "Unschedulable");
  scene.current(worker(3)).state = ProcessState::running;
  scene.spec.config.workers.min = 1;
  wait(scene, ps(0), Wait::starting, "");
  scene.decide();
  EXPECT_EQ(running(scene).reason, "WaitingForMembers");
}

TEST(Waits, OfWorkersThatATrainingJobCanDoWithoutAreItsMessageIfTheyLast) {
  Scene scene(some_job(1, 4));
  scene.refused[worker(1)] = scene.refused[worker(2)] = Refusal::quota;
  scene.start_all();
  EXPECT_TRUE(running(scene).holds);
  EXPECT_EQ(running(scene).reason, "MembersRunning");
  EXPECT_EQ(running(scene).message, "2 of 4 workers (1, 2): not created: no");
  wait(scene, worker(3), Wait::unschedulable, "no room");
  scene.decide();
  EXPECT_EQ(running(scene).message, "2 of 4 workers (1, 2): not created: no; worker 3: no room");
  scene.refused.clear();
  scene.now += seconds(300);
  scene.decide();
  wait(scene, worker(3), Wait::starting, "");
  scene.decide();
  EXPECT_EQ(running(scene).message, "") << "who is starting is not told of";
}

TEST(Waits, NameTheNodeOfOneMemberAlone) {
  Scene scene;
  scene.start_all();
  for (const int index : {0, 1}) {
    wait(scene, worker(index), Wait::image_unavailable, "ErrImagePull");
    scene.current(worker(index)).node = "n" + std::to_string(index);
  }
  scene.decide();
  EXPECT_EQ(running(scene).message, "2 of 2 workers (0, 1): ErrImagePull");
  scene.current(worker(0)).message = "another";
  scene.decide();
  EXPECT_EQ(running(scene).message, "worker 0: another (on n0); worker 1: ErrImagePull (on n1)");
}

TEST(Waits, SayWhichNodeRefusedAMember) {
  Scene scene;
  scene.decide();
  scene.exits(worker(0), train::Exit{137}, "OutOfcpu");
  scene.current(worker(0)).never_ran = true;
  scene.current(worker(0)).node = "n7";
  scene.spec.config.workers.min = 2;
  scene.decide();
  EXPECT_EQ(running(scene).reason, "NodeRefused");
  EXPECT_NE(running(scene).message.find("worker 0: never ran: OutOfcpu (on n7)"), std::string::npos);
}

TEST(Waits, SayWhichNodeRefusedAMemberUntilItsNextStart) {
  Scene scene;
  scene.spec.config.workers.min = 2;
  scene.start_all();
  scene.status.members.at(worker(0)).disruptions = 4;
  scene.exits(worker(0), train::Exit{137}, "OutOfcpu");
  scene.current(worker(0)).never_ran = true;
  scene.current(worker(0)).node = "n7";
  for (int second = 0; second < 8; ++second, scene.now += seconds(1)) {
    scene.decide();
    EXPECT_EQ(running(scene).reason, "NodeRefused") << second;
    EXPECT_EQ(running(scene).message, "worker 0: never ran: OutOfcpu (on n7)") << second;
  }
  scene.decide();
  EXPECT_EQ(running(scene).message, "worker 0 is starting");
}

TEST(Waits, SayOnWhichNodeAProcessEnded) {
  Scene scene;
  scene.start_all();
  scene.current(ps(0)).node = "n7";
  scene.exits(ps(0), train::Exit::bug, "x");
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message, "ps 0: Bug: x (on n7)");
}

}  // namespace
}  // namespace carrack::control
