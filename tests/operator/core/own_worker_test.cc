// Jobs whose model is of kind Own: the trainer's coordinator and parameter servers, and workers that run the user's own
// program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/exit_words.h"
#include "operator/core/plan.h"
#include "operator/core/reasons.h"
#include "operator/core/resources.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using train::Role;

const std::string of_worker = "spec.replicas.worker.template";

std::vector<std::string> problems(const JobSpec& spec) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems_in(spec, any_model)) lines.push_back(problem.field + ": " + problem.text);
  return lines;
}

TEST(OwnWorkers, AreTheOnlyProcessesOfTheUsersProgram) {
  const JobSpec spec = own_model_job();
  EXPECT_TRUE(runs_own_program(spec, Role::worker));
  EXPECT_FALSE(runs_own_program(spec, Role::ps));
  EXPECT_FALSE(runs_own_program(spec, Role::coordinator));
  EXPECT_FALSE(runs_own_program(some_job(), Role::worker));
  EXPECT_TRUE(runs_own_program(own_job({.ps = 1, .workers = 1}), Role::ps));
}

TEST(OwnWorkers, NeedAnImageAndACommand) {
  JobSpec spec = own_model_job();
  EXPECT_THAT(problems(spec), IsEmpty());
  spec.worker_pod.pod_template = own_template();
  EXPECT_THAT(problems(spec), ElementsAre(of_worker + ": names no command; with a model of kind Own give the container "
                                                      "trainer the command that trains it"));
  const std::string no_image =
      of_worker + ": names no image; set spec.containers[0] with name trainer, image and command";
  spec.worker_pod.pod_template = Node{Node::Map{}};
  EXPECT_THAT(problems(spec), ElementsAre(no_image));
  spec.worker_pod.pod_template.reset();
  EXPECT_THAT(problems(spec), ElementsAre(no_image));
}

TEST(OwnWorkers, HaveTextsForWordsAndLeaveToTheOperatorWhatTheLaunchNeeds) {
  JobSpec spec = own_model_job();
  spec.worker_pod.pod_template = own_template(
      "command: [sh, 7]\n    args: [true]\n    env: [{name: CARRACK_ROLE, value: ps}]\n    ports: [{containerPort: "
      "7400}]\n    volumeMounts: [{name: job, mountPath: /a}]");
  const std::string field = of_worker + ".spec.containers[0].";
  EXPECT_THAT(problems(spec),
              ElementsAre(field + "ports[0].containerPort: belongs to the operator; use another port",
                          field + "volumeMounts[0].name: belongs to the operator; mount another volume",
                          field + "command[1]: is a whole number; must be text, so write it in quotes",
                          field + "args[0]: is true or false; must be text, so write it in quotes",
                          field + "env[0].name: belongs to the operator; it sets CARRACK_ROLE itself; leave it out"));
}

// carrack plan and the toleration of a GPU's taint go by the resources beside the template alone.
TEST(OwnWorkers, HaveResourcesBesideTheirTemplate) {
  JobSpec spec = own_model_job();
  spec.worker_pod.pod_template = own_template("command: [sh]\n    resources: {limits: {nvidia.com/gpu: 1}}");
  EXPECT_THAT(problems(spec), ElementsAre(of_worker + ".spec.containers[0].resources: belongs to the operator; set "
                                                      "resources next to template"));
}

TEST(OwnWorkers, MayUseGpusAndHaveNoDefaultsOfResources) {
  JobSpec spec = own_model_job();
  EXPECT_EQ(resources_of(spec, Role::worker), Resources());
  EXPECT_EQ(resources_of(spec, Role::ps), resources_of(some_job(), Role::ps));
  spec.worker_pod.resources.limits = {{"nvidia.com/gpu", "1"}};
  EXPECT_THAT(problems(spec), IsEmpty());
  spec.ps_pod.resources.limits = {{"nvidia.com/gpu", "1"}};
  EXPECT_THAT(problems(spec), ElementsAre("spec.replicas.ps.resources.limits.nvidia.com/gpu: only workers compute on "
                                          "GPUs; leave it out"));
}

TEST(OwnWorkers, WorkWithServersOfTheTrainersImage) {
  JobSpec spec = own_model_job();
  spec.ps_pod.pod_template = spec.coordinator_pod.pod_template = own_template("command: [sh]");
  const std::string belongs = ": belongs to the operator; leave it out: the operator starts its own trainer";
  EXPECT_THAT(problems(spec), ElementsAre("spec.replicas.coordinator.template.spec.containers[0].image" + belongs,
                                          "spec.replicas.coordinator.template.spec.containers[0].command" + belongs,
                                          "spec.replicas.ps.template.spec.containers[0].image" + belongs,
                                          "spec.replicas.ps.template.spec.containers[0].command" + belongs));
}

// As of the trainer's own workers.
TEST(OwnWorkers, EndWithTheExitCodesOfTheTrainer) {
  Scene user_error(own_model_job());
  user_error.start_all();
  user_error.current(worker(0)).message = "fc1.weight: is [3], and [4] in spec.model.tensors";
  ends(user_error, worker(0), static_cast<int>(train::Exit::user_error));
  EXPECT_EQ(find(user_error.status, ConditionType::failed)->reason, reasons::user_error);
  EXPECT_EQ(find(user_error.status, ConditionType::failed)->message,
            "worker 0: UserError: fc1.weight: is [3], and [4] in spec.model.tensors");

  Scene drained(own_model_job());
  drained.start_all();
  ends(drained, worker(0), static_cast<int>(train::Exit::drained));
  EXPECT_EQ(drained.status.members.at(worker(0)).failures, 0);

  Scene other(own_model_job());
  other.start_all();
  ends(other, worker(0), 1);
  EXPECT_FALSE(is_finished(other.status));
  EXPECT_EQ(other.status.members.at(worker(0)).failures, 1) << "an uncaught exception of Python's is charged";
  EXPECT_EQ(exit_name(own_model_job(), 81), "UserError");
}

TEST(OwnWorkers, FailTheJobAtOnceIfTheirProgramCannotBeStarted) {
  Scene scene(own_model_job());
  scene.decide();
  scene.current(worker(0)).cannot_start = true;
  scene.current(worker(0)).message = "/fit.py: Exec format error";
  ends(scene, worker(0), 127);
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "worker 0: cannot be started: /fit.py: Exec format error");
}

}  // namespace
}  // namespace carrack::control
