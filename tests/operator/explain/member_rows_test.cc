// The members of a job as a table shows them.
#include "operator/explain/member_rows.h"

#include <gtest/gtest.h>

#include "tests/operator/core/own_job.h"
#include "tests/operator/explain/view_of.h"

namespace carrack::control {
namespace {

const MemberRow& row(const std::vector<MemberRow>& rows, const train::Member& member) {
  return *std::ranges::find(rows, member, &MemberRow::member);
}

TEST(MemberRows, AreInTheOrderOfStarting) {
  Scene scene;
  scene.start_all();
  std::vector<train::Member> members;
  for (const MemberRow& one : member_rows(view_of(scene))) members.push_back(one.member);
  EXPECT_EQ(members, (std::vector<train::Member>{coordinator, ps(0), worker(0), worker(1)}));
}

TEST(MemberRows, SayWhatTheProcessDoes) {
  Scene scene;
  scene.start_all();
  scene.current(worker(0)).node = "n1";
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).message = "no room";
  auto rows = member_rows(view_of(scene));
  EXPECT_EQ(row(rows, worker(0)).state, "running");
  EXPECT_TRUE(row(rows, worker(0)).is_well);
  EXPECT_EQ(row(rows, worker(0)).node, "n1");
  EXPECT_EQ(row(rows, worker(1)).state, "pending");
  EXPECT_EQ(row(rows, worker(1)).why, "no room");
  EXPECT_FALSE(row(rows, worker(1)).is_well);
  scene.current(worker(0)).terminating = true;
  rows = member_rows(view_of(scene));
  EXPECT_EQ(row(rows, worker(0)).state, "leaving");
  scene.observed.processes.clear();
  rows = member_rows(view_of(scene));
  EXPECT_EQ(row(rows, worker(0)).state, "missing");
  EXPECT_FALSE(row(rows, worker(0)).is_well);
}

TEST(MemberRows, CountRestarts) {
  Scene scene;
  scene.start_all();
  for (int failures = 0; failures < 2; ++failures) {
    scene.start_all();
    scene.exits(worker(0), train::Exit::platform_error, "cannot write");
    scene.decide();
  }
  const auto rows = member_rows(view_of(scene, seconds(0)));
  EXPECT_EQ(row(rows, worker(0)).restarts, 1);
  EXPECT_EQ(row(rows, worker(0)).failures, 2);
  EXPECT_EQ(row(rows, worker(0)).state, "resting");
  EXPECT_EQ(row(rows, worker(0)).why.substr(0, 20), "starts again in 10 s");
}

TEST(MemberRows, GoByTheStatusOnThisMachine) {
  Scene scene;
  scene.start_all();
  EXPECT_EQ(row(member_rows(run_of(scene)), worker(0)).state, "running");
  EXPECT_EQ(row(member_rows(run_of(scene, false)), worker(0)).state, "stopped");
}

TEST(MemberRows, SayOnThisMachineHowTheLastFailureEnded) {
  Scene scene;
  scene.start_all();
  for (int failures = 0; failures < 2; ++failures) {
    scene.start_all();
    scene.exits(worker(0), train::Exit::platform_error, "cannot write");
    scene.decide();
  }
  scene.now -= seconds(90);
  const auto at_work = member_rows(run_of(scene)), stopped = member_rows(run_of(scene, false));
  EXPECT_EQ(row(at_work, worker(0)).state, "resting");
  EXPECT_EQ(row(at_work, worker(0)).why, "starts again in 10 s; before: exit code 82 (PlatformError): cannot write");
  EXPECT_EQ(row(stopped, worker(0)).state, "ended") << "nobody starts it";
  EXPECT_EQ(row(stopped, worker(0)).why, "exit code 82 (PlatformError): cannot write");
  EXPECT_EQ(row(stopped, worker(1)).state, "stopped");
  EXPECT_EQ(row(stopped, worker(1)).why, "");
}

TEST(MemberRows, SayHowAProcessEnded) {
  ObservedProcess process;
  process.exit_code = 82;
  EXPECT_EQ(exit_phrase(JobSpec(), process), "exit code 82 (PlatformError)");
  EXPECT_EQ(exit_phrase(own_job({}), process), "exit code 82") << "it is the program's own";
  process.exit_code = 137;
  EXPECT_EQ(exit_phrase(JobSpec(), process), "exit code 137 (signal 9)");
  process.exit_code = 1;
  EXPECT_EQ(exit_phrase(JobSpec(), process), "exit code 1");
  process.never_ran = true;
  EXPECT_EQ(exit_phrase(JobSpec(), process), "never ran");
}

}  // namespace
}  // namespace carrack::control
