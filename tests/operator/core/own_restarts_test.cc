// What restarts in jobs that run the user's own program, what of it is charged, and what a new start waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/plan.h"
#include "operator/core/restart.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(OwnProgram, IsForgivenItsFailuresOnceAStartHasRunForTenMinutes) {
  Scene scene(own_job({.workers = 1}));
  for (int n = 0; n < 5; ++n) {
    scene.start_all();
    scene.current(worker(0)).started_at = scene.now;
    scene.now += std::chrono::minutes(10);
    ends(scene, worker(0), 1);
    EXPECT_EQ(scene.status.members.at(worker(0)).failures, 1);
  }
  EXPECT_EQ(scene.status.attempt, 0);
}

TEST(OwnProgram, OfPyTorchRestartsAsOne) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 3}));
  scene.start_all();
  ends(scene, worker(2), 1);
  EXPECT_EQ(scene.status.attempt, 1);
  EXPECT_EQ(charged_restarts(scene.status), 1);
  EXPECT_TRUE(holds(scene.status, ConditionType::restarting));
  scene.now += job_backoff(1);
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), SizeIs(3));
}

TEST(OwnProgram, OfPyTorchIsNotChargedForWhatTheClusterEnds) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 2});
  spec.run.backoff_limit = 1;
  Scene scene(spec);
  for (int n = 1; n <= 5; ++n) {
    scene.start_all();
    scene.current(worker(1)).disrupted = true;
    ends(scene, worker(1), 137);
    EXPECT_EQ(scene.status.attempt, n);
    EXPECT_EQ(charged_restarts(scene.status), 0);
    EXPECT_EQ(scene.status.disruptions, n);
    EXPECT_EQ(scene.status.last_failure->member, "worker-1");
    scene.now += job_backoff(1);
  }
  for (int n = 0; n < 2; ++n) {
    scene.start_all();
    ends(scene, worker(0), 1);
    scene.now += job_backoff(1);
  }
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "BackoffLimitExceeded");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.run.backoffLimit allows 1 restart; last: worker 0: exit code 1");
}

TEST(OwnProgram, OfPyTorchRestsLongerEachTimeThatTheClusterEndsItSoon) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 2}));
  for (int n = 1; n <= 13; ++n) {
    scene.start_all();
    scene.current(worker(n % 2)).disrupted = true;
    ends(scene, worker(n % 2), 137);
    const seconds rest = std::max(job_backoff(0), disruption_backoff((n + 1) / 2));
    EXPECT_EQ(scene.decide().wake_at, scene.now + rest) << n;
    scene.now += rest;
  }
  scene.start_all();
  for (ObservedProcess& process : scene.observed.processes) process.started_at = scene.now;
  scene.now += steady_after;
  scene.current(worker(0)).disrupted = true;
  ends(scene, worker(0), 137);
  EXPECT_EQ(scene.decide().wake_at, scene.now + job_backoff(0)) << "a new row";
}

TEST(OwnProgram, OfPyTorchNamesTheEarliestFailureOfThoseThatAreSeenAtOnce) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 3});
  spec.run.backoff_limit = 0;
  Scene scene(spec);
  scene.start_all();
  for (const int index : {0, 1}) {
    scene.current(worker(index)).state = ProcessState::exited;
    scene.current(worker(index)).exit_code = 1;
    scene.current(worker(index)).ended_at = scene.now;
  }
  scene.current(worker(2)).ended_at = scene.now - seconds(3);
  ends(scene, worker(2), 9);
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
            "spec.run.backoffLimit allows 0 restarts; last: worker 2: exit code 9");
}

// 80 is what the trainer exits with when it leaves as it was asked to.
TEST(OwnProgram, ThatExitsWithACodeOfTheTrainerHasFailed) {
  for (const int code : {80, 81, 82, 83, 84, 85}) {
    JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 2});
    spec.run.backoff_limit = 0;
    Scene scene(spec);
    scene.start_all();
    ends(scene, worker(1), code);
    EXPECT_EQ(find(scene.status, ConditionType::failed)->message,
              "spec.run.backoffLimit allows 0 restarts; last: worker 1: exit code " + std::to_string(code));
    ASSERT_TRUE(scene.status.last_failure);
    EXPECT_EQ(scene.status.last_failure->exit_code, code);
  }
}

TEST(OwnProgram, AwaitsTheEndOfAnOldProcessWithoutLookingAgainAndAgain) {
  Scene scene(own_job({.workers = 2}));
  scene.start_all();
  scene.current(worker(1)).terminating = scene.current(worker(1)).disrupted = true;
  scene.decide();
  scene.now += seconds(5);
  const Decision decision = scene.decide();
  EXPECT_THAT(all<CreateProcess>(decision), IsEmpty());
  EXPECT_EQ(decision.wake_at, std::nullopt) << "the end of the process is an event";
}

TEST(OwnProgram, OfWhichAllRestartStartsOnlyOnceAllItsOldProcessesHaveEnded) {
  JobSpec spec = own_job({.framework = Framework::tensorflow, .ps = 1, .workers = 2});
  spec.run.failure_rules = {{.exit_codes = {7}, .action = FailureAction::restart_job}};
  Scene scene(spec);
  scene.start_all();
  scene.deletes_late = true;
  ends(scene, worker(0), 7);
  scene.now += job_backoff(1);
  EXPECT_THAT(all<CreateProcess>(scene.decide()), IsEmpty()) << "ps 0 and worker 1 are still ending";
  std::erase_if(scene.observed.processes, [](const ObservedProcess& process) { return process.terminating; });
  EXPECT_THAT(all<CreateProcess>(scene.decide()), SizeIs(3));
}

TEST(OwnProgram, OfPyTorchIsResumedOnlyOnceAllItsOldProcessesHaveEnded) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 2}));
  scene.start_all();
  scene.deletes_late = true;
  scene.spec.run.suspend = true;
  for (int n = 0; n < 2; ++n) scene.decide();
  std::erase_if(scene.observed.processes, [](const ObservedProcess& process) { return process.member == worker(0); });
  scene.spec.run.suspend = false;
  EXPECT_THAT(all<CreateProcess>(scene.decide()), IsEmpty());
  std::erase_if(scene.observed.processes, [](const ObservedProcess& process) { return process.terminating; });
  EXPECT_THAT(all<CreateProcess>(scene.decide()), SizeIs(2));
}

TEST(OwnProgram, OfPyTorchFollowsAFailureRuleBeforeThat) {
  JobSpec spec = own_job({.framework = Framework::pytorch, .workers = 2});
  spec.run.failure_rules = {{.exit_codes = {7}, .action = FailureAction::fail}};
  Scene scene(spec);
  scene.start_all();
  ends(scene, worker(1), 7);
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "FailureRule");
}

TEST(OwnProgram, IsNotDoneWhereTheClusterMadeItEndWithSuccess) {
  Scene scene(own_job({.workers = 1}));
  scene.start_all();
  scene.current(worker(0)).disrupted = true;
  ends(scene, worker(0), 0);
  EXPECT_FALSE(is_finished(scene.status));
  EXPECT_EQ(scene.status.members.at(worker(0)).incarnation, 2);
  EXPECT_EQ(scene.status.members.at(worker(0)).failures, 0);
}

TEST(OwnProgram, StartsAgainOnlyOnceItsOldProcessHasEnded) {
  Scene scene(own_job({.workers = 2}));
  scene.start_all();
  scene.current(worker(1)).terminating = scene.current(worker(1)).disrupted = true;
  EXPECT_THAT(all<CreateProcess>(scene.decide()), IsEmpty()) << "it may still write";
  scene.observed.processes.back().cause = EndCause::node_lost;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), ElementsAre("line-pvhrt-worker-1-0-2"));
}

TEST(OwnProgram, OfPyTorchIsNotChargedForWhatOthersFailOfBesides) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 3}));
  scene.start_all();
  for (const int index : {0, 1}) {
    scene.current(worker(index)).state = ProcessState::exited;
    scene.current(worker(index)).exit_code = 1;
  }
  scene.current(worker(2)).disrupted = true;
  ends(scene, worker(2), 137);
  EXPECT_EQ(scene.status.attempt, 1);
  EXPECT_EQ(charged_restarts(scene.status), 0);
}

TEST(OwnProgram, OfPyTorchIsResumedWithAllOfItsProcesses) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 2}));
  scene.start_all();
  ends(scene, worker(1), 0);
  scene.spec.run.suspend = true;
  for (int n = 0; n < 2; ++n) scene.decide();
  scene.spec.run.suspend = false;
  EXPECT_THAT(names_of(all<CreateProcess>(scene.decide())), SizeIs(2));
}

TEST(OwnProgram, HasAllItsRestartsAgainWhereItsUserRetriesIt) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 1}));
  scene.status.attempt = 6;
  EXPECT_EQ(charged_restarts(retry_failed_job(scene.status)), 0);
}

}  // namespace
}  // namespace carrack::control
