#include "operator/local/own_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/dataloader/storage/temporary_folder.h"
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
  const data::TemporaryFolder other;
  EXPECT_THAT(
      problems("command: [./sh]\n    workingDir: " + other.path()),
      ElementsAre("spec.replicas.worker.template.spec.containers[0].command[0]: './sh' is not a program on this "
                  "machine; the image is not used here"));
}

TEST(OwnCommand, IsFoundFromItsFolderInARelativeFolderOfPath) {
  const data::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/tools");
  for (const std::string file : {"/tools/fit", "/look"}) {
    std::ofstream(folder.path() + file) << "#!/bin/sh\n";
    std::filesystem::permissions(folder.path() + file, std::filesystem::perms::owner_all);
  }
  const char* const set = std::getenv("PATH");
  const std::string before = set ? set : "";
  ::setenv("PATH", ":tools:/bin", 1);
  const auto program = [&](const std::string& name) {
    const std::string fields = "command: [" + name + "]\n    workingDir: " + folder.path();
    EXPECT_THAT(problems(fields), IsEmpty());
    return own_command(job_with(fields), train::Role::worker, {}).program;
  };
  EXPECT_EQ(program("fit"), folder.path() + "/tools/fit");
  EXPECT_EQ(program("look"), folder.path() + "/./look") << "an empty folder of PATH is the working folder";
  EXPECT_EQ(program("sh"), "/bin/sh");
  ::setenv("PATH", before.c_str(), 1);
}

TEST(OwnCommand, IsRefusedIfItsFileCannotBeExecuted) {
  const data::TemporaryFolder folder;
  const std::string file = folder.path() + "/fit.py";
  const auto problem = [&](const std::string& text, std::filesystem::perms mode = std::filesystem::perms::owner_all) {
    std::ofstream(file) << text;
    std::filesystem::permissions(file, mode);
    const std::vector<std::string> lines = problems("command: [./fit.py]\n    workingDir: " + folder.path());
    return lines.empty() ? "" : lines.front();
  };
  const std::string field = "spec.replicas.worker.template.spec.containers[0].command[0]: ";
  EXPECT_EQ(problem("#!/bin/sh\n"), "");
  EXPECT_EQ(problem("#! /usr/bin/env python3\n"), "");
  EXPECT_EQ(problem(std::string("\x7f"
                                "ELF\0",
                                5)),
            "")
      << "the kernel knows";
  EXPECT_EQ(problem("print(1)\n"), field +
                                       "'./fit.py' does not say what runs it; begin it with a line such as #!/bin/sh, "
                                       "or name the program that runs it before it; the image is not used here");
  EXPECT_EQ(problem(""), problem("print(1)\n"));
  EXPECT_EQ(problem("#!/no/such/python -u\n"),
            field +
                "'./fit.py' is run by '/no/such/python', as its first line says, which cannot be executed (No such "
                "file or directory); the image is not used here");
  EXPECT_EQ(problem("#!/bin/sh\n", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write),
            field +
                "'./fit.py' cannot be executed (Permission denied); `chmod +x` it, or name the program that runs it "
                "before it; the image is not used here");
  EXPECT_THAT(problems("command: [/etc]"),
              ElementsAre(field + "'/etc' is a folder, not a program; the image is not used here"));
}

TEST(OwnCommand, IsOfTheWorkersAloneIfTheModelIsOfKindOwn) {
  JobSpec spec = own_model_job();
  spec.worker_pod.pod_template = own_template("command: [no-such-program]");
  spec.ps_pod.pod_template = own_template("env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}]");
  EXPECT_THAT(problems_of_own_commands(spec),
              ElementsAre(Problem{"spec.replicas.worker.template.spec.containers[0].command[0]",
                                  "'no-such-program' is not a program on this machine; the image is not used here"}));
  EXPECT_THAT(problems_of_own_commands(some_job()), IsEmpty());
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
      ElementsAre(field + ".command[0]: 'no-such-program' is not a program on this machine; the image is not used here",
                  field + ".workingDir: '/no/such' is not a folder on this machine; the image is not used here",
                  field + ".envFrom: can be read in a cluster alone; give the variables as env with value",
                  field + ".env[1].valueFrom: can be read in a cluster alone; give a value"));
}

}  // namespace
}  // namespace carrack::control
