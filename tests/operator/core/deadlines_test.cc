// spec.run: deadlines, what follows from failures by its rules, and what is kept.
#include "operator/core/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/answers.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;
using train::Exit;
using train::Role;

std::string end_of(const Scene& scene) {
  const Condition* failed = find(scene.status, ConditionType::failed);
  return failed && failed->holds ? failed->reason + ": " + failed->message : "";
}

void report_step(Scene& scene, std::int64_t step) {
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {step, 100}, std::nullopt};
  scene.decide();
}

TEST(StartDeadline, FailsAJobThatNeverRan) {
  Scene scene;
  scene.spec.run.start_deadline = seconds(600);
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(600));
  scene.current(worker(0)).message = scene.current(worker(1)).message = "0/3 nodes are available";
  scene.current(worker(0)).wait = scene.current(worker(1)).wait = Wait::unschedulable;
  scene.current(coordinator).state = scene.current(ps(0)).state = ProcessState::running;
  scene.decide();
  scene.now += seconds(600);
  scene.decide();
  EXPECT_EQ(
      end_of(scene),
      "StartDeadlineExceeded: did not run within spec.run.startDeadlineSeconds (600): Unschedulable: 2 of 2 workers "
      "(0, 1): 0/3 nodes are available");
  EXPECT_THAT(scene.observed.processes, IsEmpty());
}

TEST(StartDeadline, IsOverOnceTheJobHasRun) {
  Scene scene;
  scene.spec.run.start_deadline = seconds(600);
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error);
  scene.now += seconds(1000);
  scene.decide();
  EXPECT_EQ(end_of(scene), "");
}

TEST(StartDeadline, SparesAJobThatRunsWhenItIsLookedAt) {
  Scene scene;
  scene.spec.run.start_deadline = seconds(600);
  scene.decide();
  for (ObservedProcess& process : scene.observed.processes) process.state = ProcessState::running;
  scene.now += seconds(700);
  scene.decide();
  EXPECT_EQ(end_of(scene), "");
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
}

TEST(StartDeadline, DoesNotRunWhileAJobIsSuspended) {
  Scene scene;
  scene.spec.run.start_deadline = seconds(600);
  scene.spec.run.suspend = true;
  scene.decide();
  scene.now += seconds(1000);
  scene.decide();
  scene.spec.run.suspend = false;
  scene.decide();
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(600));
  EXPECT_EQ(end_of(scene), "");
}

TEST(ActiveDeadline, LetsTheMembersLeaveInOrderAndThenFailsTheJob) {
  Scene scene;
  scene.spec.run.active_deadline = seconds(3600);
  scene.start_all();
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(3600));
  scene.now += seconds(3600);
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 2U) << "of the workers";
  EXPECT_EQ(find(scene.status, ConditionType::running)->reason, "Draining");
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 1U) << "of the coordinator";
  EXPECT_EQ(all<DeleteProcess>(scene.decide()).size(), 1U) << "of the server";
  EXPECT_EQ(end_of(scene), "");
  scene.decide();
  EXPECT_EQ(end_of(scene), "DeadlineExceeded: was active for longer than spec.run.activeDeadlineSeconds (3600)");
}

TEST(ActiveDeadline, CountsFromTheLastResume) {
  Scene scene;
  scene.spec.run.active_deadline = seconds(3600);
  scene.start_all();
  scene.now += seconds(3000);
  scene.spec.run.suspend = true;
  for (int n = 0; n < 4; ++n) scene.decide();
  ASSERT_TRUE(holds(scene.status, ConditionType::suspended));
  scene.now += seconds(3000);
  scene.spec.run.suspend = false;
  scene.decide();
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(3600));
}

TEST(ActiveDeadline, CountsFromTheLastResumeAlsoIfASuspensionIsTakenBack) {
  Scene scene;
  scene.spec.run.active_deadline = seconds(3600);
  scene.start_all();
  scene.spec.run.suspend = true;
  for (int n = 0; n < 4; ++n) scene.decide();
  scene.now += seconds(9000);
  scene.spec.run.suspend = false;
  scene.start_all();
  const ObservedProcess leaves = scene.current(worker(0));
  scene.spec.run.suspend = true;
  scene.decide();
  scene.observed.processes.push_back(leaves);
  scene.spec.run.suspend = false;
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::suspended)->reason, "Resumed");
  EXPECT_EQ(end_of(scene), "");
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(3600));
}

TEST(ProgressDeadline, StartsAllMembersAgainAndFailsTheJobAtTheLimit) {
  Scene scene;
  scene.spec.run.progress_deadline = seconds(900);
  scene.spec.run.backoff_limit = 1;
  scene.start_all();
  report_step(scene, 7);
  scene.now += seconds(800);
  report_step(scene, 8);
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(900));
  scene.now += seconds(900);
  scene.decide();
  const Condition* stalled = find(scene.status, ConditionType::stalled);
  EXPECT_TRUE(stalled->holds);
  EXPECT_EQ(stalled->reason, "NoProgress");
  EXPECT_EQ(stalled->message, "no new step within spec.run.progressDeadlineSeconds (900), so all members start again");
  EXPECT_EQ(scene.status.attempt, 1);

  scene.now += minutes(1);
  scene.start_all();
  EXPECT_TRUE(holds(scene.status, ConditionType::stalled));
  report_step(scene, 1);
  EXPECT_FALSE(holds(scene.status, ConditionType::stalled));
  scene.now += seconds(900);
  scene.decide();
  EXPECT_EQ(end_of(scene),
            "ProgressDeadlineExceeded: spec.run.backoffLimit allows 1 restart; last: no new step within "
            "spec.run.progressDeadlineSeconds (900)");
}

TEST(ProgressDeadline, IsNotJudgedWhileNothingIsKnown) {
  Scene scene;
  scene.spec.run.progress_deadline = seconds(900);
  scene.start_all();
  scene.now += seconds(1000);
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::stalled)) << "no report";
  report_step(scene, 7);
  scene.observed.report_unreachable = true;
  scene.now += seconds(1000);
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::stalled)) << "unreachable";
  scene.observed.report_unreachable = false;
  scene.observed.report->data_work = DataWork{};
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::stalled)) << "it works on its data";
  scene.observed.report->data_work.reset();
  scene.observed.report->progress = {100, 100};
  scene.observed.report->last_checkpoint = LastCheckpoint{100, "checkpoint-100.manifest"};
  scene.decide();
  scene.now += seconds(1000);
  scene.decide();
  EXPECT_FALSE(holds(scene.status, ConditionType::stalled)) << "the leader evaluates the last commit";
  EXPECT_EQ(scene.status.attempt, 0);
}

TEST(ProgressDeadline, DoesNotCountTheTimeSinceTheProgressWasRead) {
  Scene scene;
  scene.spec.run.progress_deadline = seconds(60);
  scene.start_all();
  report_step(scene, 7);
  scene.now += seconds(50);
  scene.observed.report_age = seconds(30);
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(40));
  scene.now += seconds(20);
  scene.observed.report_age = seconds(50);
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 0) << "the node of the coordinator may be lost";
  scene.observed.report_age = seconds(1);
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::stalled)) << "the progress is read again, and shows no new step";
  EXPECT_EQ(scene.status.attempt, 1);
}

// Ends the member's process with that code.
void exit_with(Scene& scene, const train::Member& member, int code) {
  scene.current(member).state = ProcessState::exited;
  scene.current(member).exit_code = code;
}

TEST(FailureRules, DecideByExitCode) {
  Scene scene;
  scene.spec.run.failure_rules = {{.exit_codes = {3, 82}, .action = FailureAction::fail},
                                  {.exit_codes = {4, 82}, .action = FailureAction::ignore}};
  scene.start_all();
  exit_with(scene, worker(0), 4);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
  exit_with(scene, worker(1), 5);
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(1)).failures, 1) << "no rule fits";
  exit_with(scene, ps(0), 82);
  scene.decide();
  EXPECT_EQ(end_of(scene), "FailureRule: ps 0: PlatformError");
}

TEST(FailureRules, DecideByReasonAndRole) {
  Scene scene;
  scene.spec.run.failure_rules = {
      {.causes = {EndCause::out_of_memory}, .roles = {Role::worker}, .action = FailureAction::fail},
      {.causes = {EndCause::evicted, EndCause::out_of_memory}, .action = FailureAction::restart_job}};
  scene.start_all();
  exit_with(scene, worker(0), 137);
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 0) << "killed by somebody else";
  exit_with(scene, ps(0), 137);
  scene.current(ps(0)).cause = EndCause::out_of_memory;
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 1);
  scene.now += minutes(1);
  scene.start_all();
  exit_with(scene, worker(1), 137);
  scene.current(worker(1)).cause = EndCause::out_of_memory;
  scene.decide();
  EXPECT_EQ(end_of(scene), "FailureRule: worker 1: ended by signal 9");
}

TEST(FailureRules, FitAPodThatTheClusterTakesAway) {
  Scene scene;
  scene.spec.run.failure_rules = {{.causes = {EndCause::preempted}, .action = FailureAction::fail}};
  scene.start_all();
  scene.current(worker(0)).terminating = scene.current(worker(0)).disrupted = true;
  scene.current(worker(0)).cause = EndCause::preempted;
  scene.decide();
  EXPECT_EQ(end_of(scene), "FailureRule: worker 0: is taken away by the cluster");
}

TEST(FailureRules, DoNotFitSuccess) {
  Scene scene;
  scene.spec.run.failure_rules = {{.causes = {EndCause::evicted}, .action = FailureAction::fail}};
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.current(coordinator).cause = EndCause::evicted;
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
}

TEST(FailureRules, CountAttemptsAgainstTheLimit) {
  Scene scene;
  scene.spec.run.backoff_limit = 0;
  scene.spec.run.failure_rules = {{.exit_codes = {3}, .action = FailureAction::restart_job}};
  scene.start_all();
  exit_with(scene, worker(0), 3);
  scene.decide();
  EXPECT_EQ(end_of(scene),
            "BackoffLimitExceeded: spec.run.backoffLimit allows 0 restarts; last: worker 0: exit code 3");
}

Scene with_ended_pods(KeepPods keep) {
  Scene scene;
  scene.spec.run.keep_pods = keep;
  scene.start_all();
  scene.exits(worker(0), Exit::platform_error);
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  return scene;
}

TEST(KeptPods, AreTheOnesThatTheJobSays) {
  const auto names = [](const Scene& scene) {
    std::vector<std::string> found;
    for (const ObservedProcess& process : scene.observed.processes) found.push_back(process.name);
    return found;
  };
  EXPECT_THAT(names(with_ended_pods(KeepPods::all)),
              ElementsAre("line-pvhrt-coordinator-0-0-1", "line-pvhrt-worker-0-0-1"));
  EXPECT_THAT(names(with_ended_pods(KeepPods::failed)), ElementsAre("line-pvhrt-worker-0-0-1"));
  EXPECT_THAT(names(with_ended_pods(KeepPods::none)), IsEmpty());
}

TEST(TimeToLive, DeletesTheJobAfterItsEnd) {
  Scene scene;
  scene.spec.run.ttl_after_finished = seconds(100);
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  EXPECT_EQ(scene.decide().wake_at, scene.now + seconds(100));
  scene.now += seconds(99);
  scene.decide();
  EXPECT_FALSE(scene.is_deleted);
  scene.now += seconds(1);
  scene.decide();
  EXPECT_TRUE(scene.is_deleted);
}

TEST(TimeToLive, IsTriedAgainAfterAPauseIfItIsRefused) {
  Scene scene;
  scene.spec.run.ttl_after_finished = seconds(0);
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  scene.decide();
  scene.is_deleted = false;
  scene.observed.answers["line"] = {Refusal::denied, "no", 3, scene.now};
  const Decision decision = scene.decide();
  EXPECT_FALSE(scene.is_deleted);
  EXPECT_EQ(decision.wake_at, scene.now + refusal_backoff(3, "line"));
  scene.now = *decision.wake_at;
  scene.decide();
  EXPECT_TRUE(scene.is_deleted);
}

}  // namespace
}  // namespace carrack::control
