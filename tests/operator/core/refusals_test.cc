// What a refused action changes: its child alone, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/answers.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string pod_of_worker_1 = "line-pvhrt-worker-1-0-1";

std::string running_message(const Scene& scene) {
  return find(scene.status, ConditionType::running)->message;
}

TEST(Refusals, LetTheMemberRestAndKeepItsIncarnation) {
  Scene scene;
  scene.refused[worker(1)] = Refusal::quota;
  scene.start_all();
  for (const int rest : {1, 2, 4}) {
    const Decision resting = scene.decide();
    EXPECT_THAT(resting.actions, IsEmpty());
    const seconds exactly = refusal_backoff(rest == 4 ? 3 : rest, pod_of_worker_1);
    EXPECT_EQ(resting.wake_at, scene.now + exactly);
    scene.now += exactly;
    EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre(pod_of_worker_1));
  }
  scene.refused.clear();
  scene.now += seconds(300);
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre(pod_of_worker_1));
  EXPECT_EQ(scene.status.members.at(worker(1)), (MemberStatus{1, false, 0, {}}));
  EXPECT_EQ(scene.decide().wake_at, std::nullopt);
}

TEST(Refusals, LetEverybodyElseRunAndBeReplaced) {
  Scene scene;
  scene.refused[worker(1)] = Refusal::denied;
  scene.start_all();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  EXPECT_FALSE(holds(scene.status, ConditionType::restarting));
  scene.exits(ps(0), train::Exit::platform_error);
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-ps-0-0-2"));
}

TEST(Refusals, ByAQuotaKeepNoRoomFromAServer) {
  Scene scene;
  scene.refused[worker(1)] = Refusal::quota;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = 1;
  scene.exits(ps(0), train::Exit::platform_error);
  EXPECT_THAT(scene.decide().actions, IsEmpty()) << "the server rests for 10 s";
  scene.now += seconds(5);
  EXPECT_THAT(scene.decide().actions, IsEmpty()) << "the worker would take the room that the server had";
  scene.now += seconds(5);
  scene.refused[ps(0)] = Refusal::quota;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-ps-0-0-2"));
  scene.refused.clear();
  scene.now += seconds(1);
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-ps-0-0-2"));
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre(pod_of_worker_1));
}

TEST(Refusals, AreTheWaitOfTheirMember) {
  Scene scene;
  scene.refused[worker(0)] = scene.refused[worker(1)] = Refusal::quota;
  scene.start_all();
  const Condition* running = find(scene.status, ConditionType::running);
  EXPECT_EQ(running->reason, "QuotaExceeded");
  EXPECT_EQ(running->message, "2 of 2 workers (0, 1): not created: no");
  EXPECT_FALSE(holds(scene.status, ConditionType::restarting));
}

TEST(Refusals, OfAClusterThatIsOverloadedOrBrokenLetNoMemberRest) {
  Scene scene;
  scene.refused[worker(1)] = Refusal::not_now;
  scene.start_all();
  EXPECT_EQ(scene.status.members.at(worker(1)).incarnation, 1);
  scene.current(worker(0)).state = ProcessState::pending;
  const Decision decision = scene.decide();
  EXPECT_THAT(names_of(all<CreateProcess>(decision)), ElementsAre(pod_of_worker_1));
  EXPECT_EQ(running_message(scene), "worker 0 is starting; worker 1: not created: no");
}

TEST(Refusals, AreNotHeldAgainstAStartThatTheClusterWasNotAskedFor) {
  Scene scene;
  scene.decide();
  scene.observed.processes.pop_back();
  scene.observed.answers[pod_of_worker_1] = {.refusal = Refusal::not_sent};
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre(pod_of_worker_1));
  EXPECT_EQ(running_message(scene), "coordinator 0 is starting; ps 0 is starting; 2 of 2 workers (0, 1) are starting");
}

// A process of that name may have been there, and may still run though the cluster does not show it any more.
TEST(Refusals, AreNoneWhereTheStartMayHaveRunSoItsIncarnationIsSpent) {
  Scene scene;
  scene.decide();
  scene.observed.processes.pop_back();
  scene.observed.answers[pod_of_worker_1] = {.refusal = Refusal::unanswered, .words = "timed out"};
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-worker-1-0-2"));
  EXPECT_EQ(scene.status.members.at(worker(1)).failures, 0);
}

TEST(Refusals, EndWithTheProcessThatIsSeen) {
  Scene scene;
  scene.start_all();
  scene.observed.answers[pod_of_worker_1] = {.refusal = Refusal::quota, .words = "no", .at = scene.now};
  scene.now += seconds(10);
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(Refusals, OfWhatTheMembersShareAreNamedAndRest) {
  Scene scene;
  scene.start_all();
  scene.observed.has_service = scene.observed.has_config = false;
  scene.current(ps(0)).state = ProcessState::pending;
  const std::string service = service_name(scene.spec);
  scene.observed.answers[service] = {.refusal = Refusal::quota, .words = "no more services", .at = scene.now};
  const Decision decision = scene.decide();
  EXPECT_THAT(decision.actions, ElementsAre(CreateConfig{config_name(scene.spec)}));
  EXPECT_EQ(decision.wake_at, scene.now + seconds(1));
  EXPECT_EQ(running_message(scene), "line-pvhrt-coordinator: not created: no more services; ps 0 is starting");
  scene.now += seconds(1);
  EXPECT_THAT(scene.decide().actions, ElementsAre(CreateService{service}));
}

// Without the Service the members do not find their coordinator, so a job whose members all run may make no step.
TEST(Refusals, OfWhatTheMembersShareAreNamedAlsoWhileAllMembersRun) {
  Scene scene;
  scene.start_all();
  scene.observed.has_service = false;
  const std::string service = service_name(scene.spec);
  scene.observed.answers[service] = {.refusal = Refusal::quota, .words = "no more services", .at = scene.now};
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  EXPECT_EQ(running_message(scene), "line-pvhrt-coordinator: not created: no more services");
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).wait = Wait::unschedulable;
  scene.current(worker(1)).message = "no room";
  scene.decide();
  EXPECT_EQ(running_message(scene), "line-pvhrt-coordinator: not created: no more services; worker 1: no room");
}

TEST(Refusals, OfADeleteRestToo) {
  Scene scene;
  scene.start_all();
  ObservedProcess late = scene.current(worker(0));
  late.fence = {0, 0};
  late.name = "late";
  scene.observed.processes.push_back(late);
  scene.observed.answers["late"] = {.refusal = Refusal::denied, .words = "no", .at = scene.now};
  EXPECT_THAT(scene.decide().actions, IsEmpty());
  scene.now += seconds(1);
  EXPECT_THAT(scene.decide().actions, ElementsAre(DeleteProcess{"late", seconds(60)}));
}

TEST(Refusals, RestTwiceAsLongEachTimeUpToFiveMinutesLessAPartOfTheName) {
  EXPECT_EQ(refusal_backoff(1, "a"), seconds(1));
  EXPECT_EQ(refusal_backoff(2, "a"), seconds(2));
  std::vector<seconds> rests;
  for (int n = 0; n < 100; ++n) rests.push_back(refusal_backoff(1'000'000, "worker-" + std::to_string(n)));
  EXPECT_THAT(rests, Each(testing::AllOf(testing::Ge(seconds(225)), testing::Le(seconds(300)))));
  EXPECT_GT(std::set<seconds>(rests.begin(), rests.end()).size(), 40U);
  EXPECT_EQ(rests.front(), refusal_backoff(1'000'000, "worker-0"));
  for (int refusals = 3; refusals < 9; ++refusals) {
    EXPECT_LE(refusal_backoff(refusals, "a"), seconds(1 << (refusals - 1)));
    EXPECT_GT(refusal_backoff(refusals, "a"), seconds(1 << (refusals - 1)) * 7 / 10);
  }
}

TEST(Refusals, AreForgottenWithTheirChild) {
  Scene scene;
  scene.start_all();
  scene.observed.processes.pop_back();
  LastRefusals answers;
  for (const char* child : {"line-pvhrt-coordinator", "line-pvhrt-config", "line-pvhrt-worker-0-0-1",
                            "line-pvhrt-worker-1-0-1", "line-pvhrt-worker-1-0-0"}) {
    answers[child] = {};
  }
  forget_old(answers, scene.spec, scene.status, scene.observed);
  EXPECT_EQ(answers.size(), 4U);
  EXPECT_FALSE(answers.contains("line-pvhrt-worker-1-0-0"));
  scene.status.members.at(worker(1)).ended = true;
  forget_old(answers, scene.spec, scene.status, scene.observed);
  EXPECT_FALSE(answers.contains("line-pvhrt-worker-1-0-1"));
}

}  // namespace
}  // namespace carrack::control
