#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::IsEmpty;

JobStatus full_status() {
  Scene scene;
  scene.start_all();
  scene.observed.report = CoordinatorReport{{0, 1}, {20, 100, 0.25}, LastCheckpoint{20, "step-20"}, false};
  scene.exits(worker(1), train::Exit::platform_error, "out of \"space\"\n\xff");
  scene.observed.report->evaluation = EvaluationStatus{20, 0.5, 0.75, 0.875, 2, 4};
  scene.observed.report->best_checkpoint = BestCheckpoint{20, "step-20", 0.5};
  scene.decide();
  scene.status.completion_time = scene.now + seconds(86'399);
  scene.status.drain_deadline = scene.now;
  scene.status.conditions.back().message = "text";
  for (Condition& condition : scene.status.conditions) {
    if (condition.message.find('\xff') != std::string::npos) condition.message = "out of \"space\"\n";
  }
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

TEST(Status, IsValidJsonWhateverAProcessSaid) {
  JobStatus status;
  set_condition(status, {ConditionType::failed, true, "UserError", "\xff\xfe", {}});
  EXPECT_TRUE(std::holds_alternative<Node>(parse_json(to_json(status_node(status)))));
}

}  // namespace
}  // namespace carrack::control
