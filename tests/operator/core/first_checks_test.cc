// The pods of a job are checked before its first start.
#include "operator/core/first_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobSpec job_with_template() {
  JobSpec spec = some_job();
  spec.worker_pod.pod_template = Node{Node::Map()};
  return spec;
}

std::vector<std::string> checked(const Decision& decision) {
  std::vector<std::string> names;
  for (const CheckProcess& check : all<CheckProcess>(decision)) names.push_back(check.process.name);
  return names;
}

TEST(FirstChecks, AreOfOneProcessOfEachRoleThatTheManifestSaysSomethingAbout) {
  EXPECT_THAT(checked(Scene().decide()), IsEmpty());
  JobSpec spec = job_with_template();
  EXPECT_THAT(checked(Scene(spec).decide()), ElementsAre("line-pvhrt-worker-0-0-1"));
  spec.coordinator_pod.resources.requests = {{"cpu", "1"}};
  EXPECT_THAT(checked(Scene(spec).decide()), ElementsAre("line-pvhrt-coordinator-0-0-1", "line-pvhrt-worker-0-0-1"));
}

TEST(FirstChecks, ComeBeforeAllOtherActions) {
  const Decision decision = Scene(job_with_template()).decide();
  ASSERT_GT(decision.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<CheckProcess>(decision.actions[0]));
}

TEST(FirstChecks, AreOverOnceThereIsAProcessOrTheJobHasRun) {
  Scene scene(job_with_template());
  scene.decide();
  EXPECT_THAT(checked(scene.decide()), IsEmpty());
  scene.start_all();
  scene.observed.processes.clear();
  const Decision decision = scene.decide();
  EXPECT_THAT(all<CreateProcess>(decision), testing::SizeIs(4));
  EXPECT_THAT(checked(decision), IsEmpty());
}

TEST(FirstChecks, AreRepeatedWithTheCreateOfWhatWasRefused) {
  Scene scene(job_with_template());
  for (const train::Member& member : members_of(scene.spec)) scene.refused[member] = Refusal::quota;
  scene.decide();
  EXPECT_THAT(checked(scene.decide()), IsEmpty()) << "all members rest";
  scene.now += seconds(1);
  EXPECT_THAT(checked(scene.decide()), ElementsAre("line-pvhrt-worker-0-0-1"));
}

TEST(FirstChecks, EndTheJobIfTheClusterFindsThePodInvalid) {
  for (const bool has_template : {true, false}) {
    Scene scene(has_template ? job_with_template() : some_job());
    scene.spec.worker_pod.resources.requests = {{"cpu", "1"}};
    const Decision first = scene.decide();
    scene.observed = {};
    for (const std::string& name : names_of(all<CreateProcess>(first))) {
      scene.observed.answers[name] = {.refusal = Refusal::not_sent};
    }
    scene.observed.answers["line-pvhrt-worker-0-0-1"] = {Refusal::invalid, "unknown field \"spec.x\"", 0, scene.now};
    const Decision decision = scene.decide();
    EXPECT_THAT(decision.actions, IsEmpty());
    const Condition* failed = find(scene.status, ConditionType::failed);
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->reason, "InvalidSpec");
    EXPECT_EQ(failed->message, std::string("spec.replicas.worker.") + (has_template ? "template" : "resources") +
                                   ": unknown field \"spec.x\"");
  }
}

}  // namespace
}  // namespace carrack::control
