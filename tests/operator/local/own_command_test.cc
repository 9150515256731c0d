#include "operator/local/own_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/core/own_job.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobSpec job_with(const std::string& fields) {
  JobSpec spec = own_job({.workers = 1});
  spec.worker_pod.pod_template = own_template(fields);
  return spec;
}

std::vector<std::string> problems(const std::string& fields) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems_of_own_commands(job_with(fields))) {
    lines.push_back(problem.field + ": " + problem.text);
  }
  return lines;
}

TEST(OwnCommand, IsThatOfTheContainerWithItsVariables) {
  const OwnCommand command = own_command(
      job_with("command: [sh, -c, 'echo $(A) $$(A) $(B) $(NONE) $(']\n    args: [$(RANK)]\n    workingDir: /tmp\n    "
               "env: [{name: A, value: x}, {name: B, value: $(A)$(RANK)}]"),
      train::Role::worker, {{"RANK", "7"}});
  EXPECT_THAT(command.program, testing::EndsWith("/sh"));
  EXPECT_THAT(command.arguments, ElementsAre("-c", "echo x $(A) x7 $(NONE) $(", "7"));
  EXPECT_THAT(command.environment,
              ElementsAre(testing::Pair("A", "x"), testing::Pair("B", "x7"), testing::Pair("RANK", "7")));
  EXPECT_EQ(command.folder, "/tmp");
}

TEST(OwnCommand, IsFoundInItsFolder) {
  EXPECT_THAT(problems("command: [./sh]\n    workingDir: /bin"), IsEmpty());
  EXPECT_EQ(own_command(job_with("command: [./sh]\n    workingDir: /bin"), train::Role::worker, {}).program,
            "/bin/./sh");
  EXPECT_THAT(problems("command: [./sh]\n    workingDir: /tmp"),
              ElementsAre("spec.replicas.worker.template.spec.containers[0].command[0]: './sh' is no program on this "
                          "machine; the image is not used here"));
}

TEST(OwnCommand, IsRefusedWhereThisMachineLacksWhatItNeeds) {
  const std::string field = "spec.replicas.worker.template.spec.containers[0]";
  EXPECT_THAT(problems("command: [sh]"), IsEmpty());
  EXPECT_THAT(problems(""),
              ElementsAre(field + ".command: is missing; on this machine the image is not used, so give the "
                                  "command that it runs"));
  EXPECT_THAT(
      problems("command: [no-such-program]\n    workingDir: /no/such\n    envFrom: [{secretRef: {name: a}}]\n    "
               "env: [{name: A, value: a}, {name: B, valueFrom: {secretKeyRef: {name: a, key: b}}}]"),
      ElementsAre(field + ".command[0]: 'no-such-program' is no program on this machine; the image is not used here",
                  field + ".workingDir: '/no/such' is no folder on this machine; the image is not used here",
                  field + ".envFrom: can be read in a cluster alone; give the variables as env with value",
                  field + ".env[1].valueFrom: can be read in a cluster alone; give a value"));
}

}  // namespace
}  // namespace carrack::control
