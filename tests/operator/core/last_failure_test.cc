// What a status says of the last failure, and of what all of them have cost.
#include "operator/core/last_failure.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using train::Exit;
using train::Role;

constexpr auto sigkill = Exit(137);

void reports(Scene& scene, std::int64_t step, std::optional<std::int64_t> commit = std::nullopt) {
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {step, 100}, std::nullopt};
  if (commit) scene.observed.report->last_checkpoint = LastCheckpoint{*commit, "commit"};
  scene.decide();
}

TEST(LastFailure, SaysWhoEndedWhereAndHow) {
  Scene scene;
  scene.start_all();
  EXPECT_EQ(scene.status.last_failure, std::nullopt);
  ObservedProcess& process = scene.current(worker(1));
  process.node = "n1";
  process.cause = EndCause::out_of_memory;
  process.ended_at = scene.now + seconds(3);
  scene.exits(worker(1), sigkill, "OOMKilled");
  scene.now += seconds(5);
  scene.decide();
  EXPECT_EQ(scene.status.last_failure, (LastFailure{.member = "worker-1",
                                                    .pod = "line-pvhrt-worker-1-0-1",
                                                    .node = "n1",
                                                    .exit_code = 137,
                                                    .signal = 9,
                                                    .reason = "OOMKilled",
                                                    .message = "OOMKilled",
                                                    .time = scene.now - seconds(2)}));
  EXPECT_EQ(scene.status.restarts, 1);
  EXPECT_EQ(scene.status.disruptions, 0);
}

TEST(LastFailure, OfAProcessThatVanishedHasNoExitCode) {
  Scene scene;
  scene.start_all();
  std::erase_if(scene.observed.processes, [](const auto& process) { return process.member == worker(1); });
  scene.decide();
  EXPECT_EQ(
      scene.status.last_failure,
      (LastFailure{.member = "worker-1", .pod = "line-pvhrt-worker-1-0-1", .message = "vanished", .time = scene.now}));
  EXPECT_EQ(scene.status.restarts, 0);
  EXPECT_EQ(scene.status.disruptions, 1);
}

TEST(LastFailure, IsNoneOfAProcessThatNeverRan) {
  Scene scene;
  scene.decide();
  scene.exits(worker(0), sigkill, "OutOfcpu");
  scene.current(worker(0)).never_ran = true;
  scene.current(worker(1)).terminating = true;
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(0)).disruptions, 1);
  EXPECT_EQ(scene.status.last_failure, std::nullopt);
  EXPECT_EQ(scene.status.disruptions, 0);
}

TEST(LastFailure, IsNoneOfMembersThatLeaveAsTheyAreAsked) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(0), Exit::drained);
  scene.decide();
  EXPECT_EQ(scene.status.last_failure, std::nullopt);
  scene.current(worker(1)).disrupted = true;
  scene.current(worker(1)).cause = EndCause::evicted;
  scene.exits(worker(1), Exit::drained, "leaves");
  scene.decide();
  EXPECT_EQ(scene.status.last_failure->reason, "Evicted");
  EXPECT_EQ(scene.status.last_failure->exit_code, 80);
  EXPECT_EQ(scene.status.last_failure->signal, std::nullopt);
  EXPECT_EQ(scene.status.disruptions, 1);
}

TEST(LastFailure, IsTheOneThatEndsTheJobAndNotAnotherThatIsSeenWithIt) {
  Scene scene;
  scene.start_all();
  for (const train::Member& member : {ps(0), worker(0), worker(1)}) scene.current(member).ended_at = scene.now;
  scene.current(worker(1)).ended_at = scene.now + seconds(1);
  scene.exits(ps(0), Exit::platform_error, "connection reset");
  scene.exits(worker(0), sigkill);
  scene.exits(worker(1), Exit::user_error, "no such file");
  scene.decide();
  EXPECT_EQ(scene.status.last_failure->member, "worker-1");
  EXPECT_EQ(scene.status.last_failure->message, "no such file");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message, "worker 1: UserError: no such file");
}

TEST(LastFailure, IsTheOneThatUsedUpTheLimitOfRestarts) {
  Scene scene;
  scene.spec.run.backoff_limit = 1;
  scene.status.attempt = 1;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = member_failures_max - 1;
  scene.exits(ps(0), Exit::bug, "CHECK failed");
  scene.exits(worker(1), Exit::platform_error, "connection reset");
  scene.decide();
  EXPECT_EQ(scene.status.last_failure->member, "ps-0");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.run.backoffLimit allows 1 restart; last: ps 0: Bug: CHECK failed");
}

TEST(LastFailure, OfSeveralIsTheEarliestThatIsCharged) {
  Scene scene;
  scene.start_all();
  scene.current(ps(0)).terminating = true;
  scene.current(worker(0)).ended_at = scene.now - seconds(1);
  scene.current(worker(1)).ended_at = scene.now - seconds(2);
  scene.exits(worker(0), Exit::bug);
  scene.exits(worker(1), Exit::platform_error);
  scene.decide();
  EXPECT_EQ(scene.status.last_failure->member, "worker-1");
  EXPECT_EQ(scene.status.restarts, 2);
  EXPECT_EQ(scene.status.disruptions, 1);
}

TEST(LastFailure, IsTheSameAsThatOfTheConditionFailed) {
  Scene scene;
  scene.spec.run.failure_rules = {{.exit_codes = {80}, .action = FailureAction::restart_job}};
  scene.spec.run.backoff_limit = 0;
  scene.start_all();
  scene.current(worker(0)).ended_at = scene.current(worker(1)).ended_at = scene.now;
  scene.current(ps(0)).ended_at = scene.now - seconds(9);
  scene.exits(ps(0), Exit::bug);
  scene.exits(worker(0), Exit::drained);
  scene.exits(worker(1), Exit::user_error, "no such file");
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message, "worker 1: UserError: no such file");
  EXPECT_EQ(scene.status.last_failure->member, "worker-1");
}

TEST(LastFailure, IsOfAProcessThatLeftAsAskedIfARuleTakesThatForAFailure) {
  Scene scene;
  scene.spec.run.failure_rules = {{.exit_codes = {80}, .action = FailureAction::restart_job}};
  scene.spec.run.backoff_limit = 0;
  scene.start_all();
  scene.exits(worker(0), Exit::drained);
  scene.decide();
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.run.backoffLimit allows 0 restarts; last: worker 0: Drained");
  EXPECT_EQ(scene.status.last_failure->member, "worker-0");
}

TEST(LastFailure, StaysUntilTheJobSucceeds) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  scene.start_all();
  reports(scene, 50, 50);
  EXPECT_EQ(scene.status.last_failure->member, "ps-0");
  scene.exits(coordinator, Exit::succeeded);
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::succeeded));
  EXPECT_EQ(scene.status.last_failure, std::nullopt);
  EXPECT_EQ(scene.status.restarts, 1) << "what it has cost stays";
}

TEST(LastFailure, KeepsAtMost1024PrintableBytesOfItsLastWords) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::bug, "\x1b[2J" + std::string(9'000, 'x'));
  scene.decide();
  EXPECT_LE(scene.status.last_failure->message.size(), message_bytes_max);
  EXPECT_EQ(scene.status.last_failure->message.substr(0, 8), "\\x1b[2Jx");
}

TEST(LastFailure, RestartsOfTheWholeJobCountOnce) {
  Scene scene;
  scene.start_all();
  for (int failures = 0; failures < member_failures_max; ++failures) {
    scene.exits(ps(0), Exit::bug);
    scene.decide();
    scene.now += seconds(60);
    scene.start_all();
  }
  EXPECT_EQ(scene.status.attempt, 1);
  EXPECT_EQ(scene.status.restarts, 3);
}

TEST(FailedReplicas, WaitForTheirNextStart) {
  Scene scene(some_job(1, 3));
  scene.start_all();
  for (int failures = 0; failures < 2; ++failures) {
    scene.exits(worker(1), Exit::bug);
    scene.decide();
    if (failures == 0) scene.start_all();
  }
  EXPECT_EQ(scene.status.replicas.at(Role::worker),
            (ReplicaStatus{.desired = 3, .pending = 0, .running = 2, .failed = 1}));
  scene.now += seconds(10);
  scene.decide();
  EXPECT_EQ(scene.status.replicas.at(Role::worker),
            (ReplicaStatus{.desired = 3, .pending = 1, .running = 2, .failed = 0}));
}

TEST(FailedReplicas, OfAJobThatHasFailedAreThoseThatHadFailed) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(1), Exit::user_error);
  for (int looks = 0; looks < 2; ++looks) {
    scene.decide();
    const std::map<Role, ReplicaStatus> failed = {{Role::worker, {.failed = 1}}};
    EXPECT_EQ(scene.status.replicas, failed);
  }
}

TEST(FailedReplicas, AreNoneOfASuspendedJob) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(1), Exit::bug);
  scene.decide();
  scene.spec.run.suspend = true;
  scene.decide();
  scene.now += scene.spec.run.drain;
  scene.decide();
  EXPECT_EQ(scene.status.replicas.size(), 0U);
}

TEST(LostSteps, AreNoneWhereParameterServersKeepThemForANewCoordinator) {
  Scene scene;
  scene.start_all();
  reports(scene, 30, 20);
  scene.exits(coordinator, Exit::bug);
  scene.decide();
  EXPECT_EQ(scene.status.progress, std::nullopt);
  scene.start_all();
  reports(scene, 31, 20);
  EXPECT_EQ(scene.status.lost_steps, 0);
}

TEST(LostSteps, AreThoseBeyondTheLastCommitWhenAllThatHeldThemStartsAgain) {
  Scene scene;
  scene.start_all();
  reports(scene, 30, 20);
  scene.exits(coordinator, Exit::bug);
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  EXPECT_EQ(scene.status.lost_steps, 10);
  EXPECT_EQ(scene.status.progress, std::nullopt);
  scene.start_all();
  reports(scene, 20, 20);
  reports(scene, 55, 50);
  EXPECT_EQ(scene.status.lost_steps, 10);
  restarts_all(scene);
  scene.now += job_backoff(1);
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 1);
  EXPECT_EQ(scene.status.lost_steps, 15);
}

TEST(LostSteps, AreThoseThatARunningLeaderTakesBack) {
  Scene scene;
  scene.start_all();
  reports(scene, 30, 20);
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  scene.start_all();
  reports(scene, 20, 20);
  EXPECT_EQ(scene.status.lost_steps, 10);
}

TEST(LostSteps, HaveABoundWhateverIsReported) {
  Scene scene;
  scene.start_all();
  for (int lies = 0; lies < 3; ++lies) {
    reports(scene, std::numeric_limits<std::int64_t>::max());
    reports(scene, std::numeric_limits<std::int64_t>::min());
  }
  EXPECT_EQ(scene.status.lost_steps, lost_steps_max);
}

TEST(LostSteps, AreNotKnownOfAJobThatResumesAnotherBeforeItsFirstCommit) {
  for (const bool resumes : {false, true}) {
    Scene scene;
    if (resumes) scene.spec.config.checkpoint.resume = "gs://other";
    scene.start_all();
    reports(scene, 30);
    scene.exits(coordinator, Exit::bug);
    scene.exits(ps(0), Exit::bug);
    scene.decide();
    EXPECT_EQ(scene.status.lost_steps, resumes ? 0 : 30);
  }
}

}  // namespace
}  // namespace carrack::control
