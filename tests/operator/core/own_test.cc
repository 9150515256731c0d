// Jobs that run the user's own program: who leads, what ends them, and what their processes find in the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/own_environment.h"
#include "operator/core/plan.h"
#include "operator/core/reasons.h"
#include "operator/core/resources.h"
#include "operator/core/restart.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::vector<std::string> problems(const JobSpec& spec) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems_in(spec, any_model)) lines.push_back(problem.field + ": " + problem.text);
  return lines;
}

TEST(OwnProgram, HasTheProcessesThatItsRolesSayAndAServiceForTheirNames) {
  Scene scene(own_job({.framework = Framework::tensorflow, .coordinators = 1, .ps = 1, .workers = 2}));
  const Decision decision = scene.decide();
  EXPECT_THAT(names_of(all<CreateProcess>(decision)),
              ElementsAre("line-pvhrt-coordinator-0-0-1", "line-pvhrt-ps-0-0-1", "line-pvhrt-worker-0-0-1",
                          "line-pvhrt-worker-1-0-1"));
  EXPECT_EQ(all<CreateService>(decision), std::vector{CreateService{"line-pvhrt-members"}});
  EXPECT_THAT(all<CreateConfig>(decision), IsEmpty());
  for (const CreateProcess& create : all<CreateProcess>(decision)) {
    EXPECT_TRUE(create.process.in_service);
    EXPECT_EQ(create.process.image, "");
  }
  scene.start_all();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
}

TEST(OwnProgram, SucceedsWithItsLeader) {
  Scene scene(own_job({.coordinators = 0, .ps = 1, .workers = 2}));
  scene.start_all();
  ends(scene, worker(1), 0);
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_TRUE(scene.status.members.at(worker(1)).done);
  EXPECT_EQ(scene.status.replicas.at(train::Role::worker), (ReplicaStatus{.desired = 2, .running = 1, .succeeded = 1}));
  EXPECT_TRUE(holds(scene.status, ConditionType::running)) << "the others go on without it";
  ends(scene, worker(0), 0);
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_FALSE(scene.has(ps(0), {0, 1})) << "what serves the workers is not needed any more";
}

TEST(OwnProgram, SucceedsWithAllWorkersIfItIsToWaitForThem) {
  Scene scene(own_job({.success = SuccessPolicy::all_workers, .coordinators = 1, .ps = 1, .workers = 2}));
  scene.start_all();
  for (const train::Member& member : {coordinator, worker(1)}) ends(scene, member, 0);
  scene.now += std::chrono::hours(1);
  EXPECT_THAT(scene.decide().actions, IsEmpty()) << "what is done is not started again";
  EXPECT_FALSE(is_finished(scene.status));
  ends(scene, worker(0), 0);
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
}

TEST(OwnProgram, ThatWasDoneBeforeAnybodyLookedHasNotMissedItsStart) {
  JobSpec spec = own_job({.workers = 1});
  spec.run.start_deadline = seconds(10);
  Scene scene(spec);
  scene.decide();
  scene.now += seconds(60);
  ends(scene, worker(0), 0);
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
}

TEST(OwnProgram, FailsAtOnceIfItCannotBeStarted) {
  Scene scene(own_job({.workers = 2}));
  scene.decide();
  scene.current(worker(1)).cannot_start = true;
  scene.current(worker(1)).message = "/fit.py: Exec format error";
  ends(scene, worker(1), 127);
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, reasons::user_error);
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "worker 1: cannot be started: /fit.py: Exec format error");
  EXPECT_EQ(scene.status.last_failure->reason, "StartError");
}

TEST(OwnProgram, ThatCannotBeStartedIsTriedAgainOnceTheJobHasRun) {
  Scene scene(own_job({.workers = 2}));
  scene.start_all();
  EXPECT_TRUE(scene.status.start_time);
  scene.current(worker(1)).cannot_start = true;
  ends(scene, worker(1), 127);
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_EQ(scene.status.restarts, 1);
}

TEST(OwnProgram, HasExitCodesWithoutAMeaningOfOurs) {
  Scene scene(own_job({.workers = 2}));
  scene.start_all();
  ends(scene, worker(1), static_cast<int>(train::Exit::user_error));
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_EQ(scene.status.members.at(worker(1)).failures, 1);
  EXPECT_EQ(find(scene.status, ConditionType::restarting)->message, "worker 1: exit code 81");
  scene.start_all();
  EXPECT_EQ(scene.status.members.at(worker(1)).incarnation, 2) << "no other member starts again";
  EXPECT_EQ(scene.status.members.at(worker(0)).incarnation, 1);
}

TEST(OwnProgram, KeepsItsWorkersWhileAnotherMemberFindsNoNode) {
  Scene scene(own_job({.ps = 1, .workers = 2}));
  scene.decide();
  for (const int index : {0, 1}) scene.current(worker(index)).state = ProcessState::running;
  scene.current(ps(0)).wait = Wait::unschedulable;
  EXPECT_THAT(scene.decide().actions, IsEmpty());
}

TEST(OwnProgram, IsSuspendedByEndingAllProcessesAndGoesOnWithWhatIsNotDone) {
  Scene scene(own_job({.success = SuccessPolicy::all_workers, .workers = 2}));
  scene.start_all();
  ends(scene, worker(1), 0);
  scene.spec.run.suspend = true;
  EXPECT_THAT(all<DeleteProcess>(scene.decide()), SizeIs(1));
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
  scene.spec.run.suspend = false;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-worker-0-0-2"));
}

TEST(OwnProgram, IsRefusedWithoutAnImageAndWithWhatItCannotHave) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .ps = 1, .workers = 1});
  spec.ps_pod = {};
  spec.worker_pod.pod_template = Node{Node::Map{}};
  spec.run.progress_deadline = seconds(60);
  EXPECT_THAT(
      problems(spec),
      ElementsAre(
          "spec.replicas.ps.template: names no image; set spec.containers[0] with name trainer, image and command",
          "spec.replicas.worker.template: names no image; set spec.containers[0] with name trainer, image and "
          "command",
          "spec.replicas.ps: PyTorch has no parameter servers; leave it out",
          "spec.run.progressDeadlineSeconds: with strategy Own the steps of the program are not known; leave it "
          "out"));
  EXPECT_THAT(problems(own_job({.workers = 0})),
              ElementsAre("spec.replicas: has no worker; give worker, with the template of its pods"));
  EXPECT_THAT(problems(own_job({.coordinators = 2, .workers = 1001})),
              ElementsAre("spec.replicas.coordinator.count: is 2; must be from 1 to 1",
                          "spec.replicas.worker.count: is 1001; must be from 1 to 1000"));
}

TEST(OwnProgram, IsGivenTextsAlone) {
  const std::string field = "spec.replicas.worker.template.spec.containers[0].";
  JobSpec spec = own_job({.workers = 1});
  spec.worker_pod.pod_template = own_template("command: [sh, 7]\n    args: [true, a]\n    env: [{name: X, value: 1}]");
  EXPECT_THAT(problems(spec),
              ElementsAre(field + "command[1]: is a whole number; must be text, so write it in quotes",
                          field + "args[0]: is true or false; must be text, so write it in quotes",
                          field + "env[0].value: is a whole number; must be text, so write it in quotes"));
  spec.worker_pod.pod_template = own_template("command: sh run.sh");
  EXPECT_THAT(problems(spec), ElementsAre(field + "command: is text; must be a list with a text for each word"));
}

TEST(OwnProgram, MayUseGpusAndHasNoDefaultsOfResources) {
  JobSpec spec = own_job({.workers = 1});
  EXPECT_EQ(resources_of(spec, train::Role::worker), Resources());
  spec.worker_pod.resources.limits = {{"nvidia.com/gpu", "1"}};
  EXPECT_THAT(problems(spec), IsEmpty());
}

HostPort address(const train::Member& member) {
  return {member_name(member) + ".hosts", static_cast<std::uint16_t>(2000 + member.index)};
}

TEST(OwnEnvironment, OfTensorFlowNamesAllProcesses) {
  const JobSpec spec = own_job({.framework = Framework::tensorflow, .coordinators = 1, .ps = 2, .workers = 2});
  const train::Environment variables = own_environment(spec, worker(1), {3, 4}, address);
  EXPECT_EQ(variables.at("TF_CONFIG"),
            R"({"cluster": {"chief": ["coordinator-0.hosts:2000"], "ps": ["ps-0.hosts:2000", "ps-1.hosts:2001"], )"
            R"("worker": ["worker-0.hosts:2000", "worker-1.hosts:2001"]}, "task": {"type": "worker", "index": 1}, )"
            R"("environment": "cloud"})");
  EXPECT_EQ(variables.at("CARRACK_ATTEMPT"), "3");
  EXPECT_FALSE(variables.contains("RANK"));
  EXPECT_THAT(own_environment(spec, coordinator, {0, 1}, address).at("TF_CONFIG"),
              testing::HasSubstr(R"("task": {"type": "chief", "index": 0})"));
}

TEST(OwnEnvironment, OfPyTorchRanksTheLeaderFirst) {
  const JobSpec spec = own_job({.framework = Framework::pytorch, .coordinators = 1, .workers = 2});
  EXPECT_THAT(
      own_environment(spec, worker(1), {0, 1}, address),
      testing::IsSupersetOf({Pair("MASTER_ADDR", "coordinator-0.hosts"), Pair("MASTER_PORT", "2000"), Pair("RANK", "2"),
                             Pair("WORLD_SIZE", "3"), Pair("PET_NODE_RANK", "2"), Pair("PET_NNODES", "3"),
                             Pair("PET_MASTER_ADDR", "coordinator-0.hosts"), Pair("PET_MASTER_PORT", "2000")}));
  const JobSpec alone = own_job({.framework = Framework::pytorch, .workers = 2});
  EXPECT_THAT(
      own_environment(alone, worker(0), {0, 1}, address),
      testing::IsSupersetOf({Pair("MASTER_ADDR", "worker-0.hosts"), Pair("RANK", "0"), Pair("WORLD_SIZE", "2")}));
}

TEST(OwnEnvironment, OfNoFrameworkSaysWhoTheProcessIs) {
  const JobSpec spec = own_job({.workers = 2});
  EXPECT_THAT(
      own_environment(spec, worker(1), {2, 5}, address),
      testing::UnorderedElementsAre(Pair("CARRACK_JOB", "line"), Pair("CARRACK_ROLE", "worker"),
                                    Pair("CARRACK_INDEX", "1"), Pair("CARRACK_ATTEMPT", "2"),
                                    Pair("CARRACK_INCARNATION", "5"), Pair("CARRACK_ADDRESS", "worker-1.hosts:2001"),
                                    Pair("CARRACK_LEADER", "worker-0.hosts:2000"), Pair("PYTHONUNBUFFERED", "1")));
}

TEST(OwnEnvironment, ListensOnTheFirstPortOfTheContainerOrTheUsualOne) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 2});
  EXPECT_EQ(own_port(spec, train::Role::worker), 23456);
  spec.own->framework = Framework::tensorflow;
  EXPECT_EQ(own_port(spec, train::Role::worker), 2222);
  spec.worker_pod.pod_template = own_template("ports: [{containerPort: 3333}, {containerPort: 4444}]");
  EXPECT_EQ(own_port(spec, train::Role::worker), 3333);
}

}  // namespace
}  // namespace carrack::control
