#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;

JobStatus full_status() {
  Scene scene;
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 1}, {20, 100, 0.25}, LastCheckpoint{20, "step-20", 3, "x: record 7"}};
  scene.exits(worker(1), train::Exit::platform_error, "out of \"space\"\n\xff");
  scene.observed.report->evaluation = EvaluationStatus{20, 0.5, 0.75, 0.875, 2, 4};
  scene.observed.report->best_checkpoint = BestCheckpoint{20, "step-20", 0.5};
  scene.decide();
  scene.status.completion_time = scene.now + seconds(86'399);
  scene.status.drain_deadline = scene.now;
  scene.status.trainer_image = "trainer:1";
  scene.status.worker_selector = "carrack.dev/role=worker";
  scene.status.conditions.back().message = "text";
  for (Condition& condition : scene.status.conditions) {
    if (condition.message.find('\xff') != std::string::npos) condition.message = "out of \"space\"\n";
  }
  scene.status.last_failure->message = "out of \"space\"\n";
  scene.status.last_failure->node = "n1";
  scene.status.last_failure->signal = 9;
  scene.status.last_failure->reason = "OOMKilled";
  scene.status.members.at(worker(1)).reported_hung = scene.now + seconds(7);
  scene.status.restarts = 1;
  scene.status.disruptions = 2;
  scene.status.lost_steps = 3;
  scene.status.replicas.at(train::Role::worker).failed = 1;
  scene.status.observed_generation = scene.status.conditions.front().observed_generation = 4;
  return scene.status;
}

TEST(Status, IsTheSameAfterEncoding) {
  const JobStatus status = full_status();
  Node object = job_node(some_job());
  std::get<Node::Map>(object.value).push_back(Entry{"status", status_node(status)});
  for (const std::string& text : {to_yaml(object), to_json(object)}) {
    const DecodedJob job = decode_job(text);
    EXPECT_THAT(job.problems, IsEmpty());
    EXPECT_EQ(job.status, status) << text;
  }
}

TEST(Status, TellsItsStateForPeopleAndReadsItFromConditionsAlone) {
  Scene scene;
  EXPECT_EQ(to_json(status_node(scene.status)).find("state"), std::string::npos);
  const auto state = [&] {
    const std::string text = to_json(status_node(scene.status));
    const std::size_t begin = text.find("\"state\":\"") + 9;
    return text.substr(begin, text.find('"', begin) - begin);
  };
  scene.decide();
  EXPECT_EQ(state(), "Created");
  scene.start_all();
  EXPECT_EQ(state(), "Running");
  scene.exits(worker(1), train::Exit::platform_error);
  scene.decide();
  EXPECT_EQ(state(), "Running");
  scene.exits(ps(0), train::Exit::platform_error);
  scene.decide();
  EXPECT_EQ(state(), "Restarting");
  scene.exits(coordinator, train::Exit::succeeded);
  scene.decide();
  EXPECT_EQ(state(), "Succeeded");

  Node object = job_node(some_job());
  const Node lie = {Node::Map{{"state", {std::string("Failed"), 0}}}, 0};
  std::get<Node::Map>(object.value).push_back(Entry{"status", lie});
  const DecodedJob job = decode_job(object);
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_EQ(job.status, JobStatus());
}

TEST(Status, LeavesOutMembersAtTheirFirstStartAndReadsThemBack) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  const auto text_of_members = [&] {
    const std::string text = to_json(status_node(scene.status));
    const std::size_t begin = text.find("\"members\":") + 10;
    return text.substr(begin, text.find(",\"observedGeneration\"", begin) - begin);
  };
  const auto read_back = [&] {
    Node object = job_node(scene.spec);
    std::get<Node::Map>(object.value).push_back(Entry{"status", status_node(scene.status)});
    return decode_job(to_json(object)).status;
  };
  EXPECT_EQ(text_of_members(), "{}");
  EXPECT_EQ(read_back(), scene.status);
  EXPECT_EQ(scene.status.members.size(), 5U);
  scene.exits(worker(1), train::Exit::platform_error);
  scene.decide();
  EXPECT_EQ(text_of_members(), R"({"worker-1":{"ended":false,"failures":1,"incarnation":2}})");
  EXPECT_EQ(read_back(), scene.status);
  scene.spec.config.workers.max = 4;
  scene.status = read_back();
  EXPECT_EQ(names_of(all<CreateProcess>(scene.decide())), std::vector<std::string>{"line-pvhrt-worker-3-0-1"});
  scene.spec.run.suspend = true;
  scene.decide();
  scene.now += scene.spec.run.drain;
  scene.decide();
  EXPECT_NE(text_of_members().find(R"("worker-3":{"ended":true,"incarnation":1})"), std::string::npos);
  EXPECT_EQ(read_back(), scene.status);
}

TEST(Status, RestoresNoMoreMembersThanAJobCanHave) {
  JobStatus status;
  status.replicas[train::Role::worker].desired = std::numeric_limits<int>::max();
  restore_first_starts(status);
  EXPECT_EQ(status.members.size(), 1'000U);
}

class LargeStatus : public testing::Test {
 protected:
  void expect_small() const {
    EXPECT_EQ(scene_.status.members.size(), 1'002U);
    EXPECT_LE(to_json(status_node(scene_.status)).size(), 65'536U);
  }
  Scene scene_{large_job(1'000)};
};

TEST_F(LargeStatus, OfMembersThatWaitHasAtMost64KiB) {
  scene_.decide();
  for (ObservedProcess& process : scene_.observed.processes) process.message = process.name + std::string(700, '"');
  scene_.decide();
  expect_small();
}

TEST_F(LargeStatus, OfRefusedMembersHasAtMost64KiB) {
  for (int index = 0; index < 1'000; ++index) scene_.refused[worker(index)] = Refusal::quota;
  for (int looks = 0; looks < 9; ++looks) {
    scene_.decide();
    scene_.now += seconds(300);
    expect_small();
  }
}

// Each member waits for something of its own: of the scheduler, its node, a quota, a policy, a server, its next start.
TEST_F(LargeStatus, OfMembersThatWaitForDifferentReasonsHasAtMost64KiBAndMessagesOfAtMost1024Bytes) {
  constexpr Wait of_pods[] = {Wait::unschedulable, Wait::node_refused, Wait::volume_unavailable,
                              Wait::image_unavailable};
  constexpr Refusal refusals[] = {Refusal::quota, Refusal::denied, Refusal::not_now};
  for (int index = 0; index < 1'000; index += 3) scene_.refused[worker(index)] = refusals[index / 3 % 3];
  scene_.decide();
  for (auto& [name, answer] : scene_.observed.answers) answer.words = name + std::string(700, '"');
  for (ObservedProcess& process : scene_.observed.processes) {
    process.wait = of_pods[process.member.index % 4];
    process.node = "node-" + std::to_string(process.member.index);
    process.message = process.name + std::string(700, '"');
    if (process.member.index % 3 == 1) process.state = ProcessState::exited, process.exit_code = 137;
    process.never_ran = process.member.index % 2 == 1;
  }
  scene_.decide();
  expect_small();
  for (const Condition& condition : scene_.status.conditions) EXPECT_LE(condition.message.size(), 1'024U);
  EXPECT_GT(find(scene_.status, ConditionType::running)->message.size(), 900U);
  EXPECT_EQ(find(scene_.status, ConditionType::running)->reason, "Unschedulable");
}

TEST_F(LargeStatus, OfMembersInALaterStartHasAtMost64KiB) {
  scene_.start_all();
  scene_.observed.processes.clear();
  scene_.decide();
  EXPECT_EQ(scene_.status.members.at(worker(999)).incarnation, 2);
  expect_small();
}

TEST_F(LargeStatus, OfAJobThatRestsBeforeItsNextAttemptHasAtMost64KiB) {
  scene_.start_all();
  scene_.status.members.at(ps(0)).failures = 2;
  scene_.exits(ps(0), train::Exit::bug);
  EXPECT_EQ(scene_.decide().wake_at, scene_.now + seconds(10));
  EXPECT_EQ(scene_.status.attempt, 1);
  expect_small();
}

TEST(Status, IsValidJsonWhateverAProcessSaid) {
  JobStatus status;
  set_condition(status, {ConditionType::failed, true, "UserError", "\xff\xfe", {}});
  EXPECT_TRUE(std::holds_alternative<Node>(parse_json(to_json(status_node(status)))));
}

}  // namespace
}  // namespace carrack::control
