// When Restarting holds, and what it says: only a job that stopped running because something that ran has ended. And
// what a retry by the job's user begins with.
#include <gtest/gtest.h>

#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using train::Exit;

Condition restarting(const Scene& scene) {
  return *find(scene.status, ConditionType::restarting);
}

std::string wait_of(const Scene& scene) {
  return find(scene.status, ConditionType::running)->message;
}

TEST(Restarting, HoldsFromTheEndOfAProcessUntilEnoughMembersRun) {
  Scene scene;
  scene.start_all();
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(restarting(scene).message, "");
  scene.exits(ps(0), Exit::platform_error, "cannot write");
  for (int looks = 0; looks < 3; ++looks) {
    scene.decide();
    EXPECT_TRUE(restarting(scene).holds) << looks;
    EXPECT_EQ(restarting(scene).reason, "MemberRestarts");
    EXPECT_EQ(restarting(scene).message, "ps 0: PlatformError: cannot write");
  }
  scene.start_all();
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(restarting(scene).reason, "NothingRestarts");
  EXPECT_EQ(restarting(scene).message, "ps 0: PlatformError: cannot write");
}

TEST(Restarting, DoesNotHoldWhileEnoughMembersRunAndSaysAllTheSameWhatEnded) {
  Scene scene;
  scene.start_all();
  scene.exits(worker(1), Exit::platform_error);
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(restarting(scene).message, "worker 1: PlatformError");
}

TEST(Restarting, EndsWithEnoughMembersOfTheNextAttemptThoughOthersWait) {
  Scene scene;
  scene.start_all();
  restarts_all(scene);
  EXPECT_EQ(restarting(scene).reason, "JobRestarts");
  scene.now += job_backoff(1);
  scene.start_all();
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).message = "0/3 nodes are available";
  scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::running));
  EXPECT_FALSE(restarting(scene).holds);
}

TEST(Restarting, TellsARestartOfOneMemberFromThatOfAllInALaterAttempt) {
  Scene scene;
  scene.start_all();
  restarts_all(scene);
  EXPECT_EQ(restarting(scene).reason, "JobRestarts");
  scene.now += job_backoff(1);
  scene.decide();
  EXPECT_EQ(restarting(scene).reason, "JobRestarts") << "they have been started, and do not run yet";
  scene.start_all();
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  EXPECT_EQ(scene.status.attempt, 1);
  EXPECT_EQ(restarting(scene).reason, "MemberRestarts");
}

TEST(Retry, ByItsUserGivesAJobAllItsRestartsAgain) {
  Scene scene;
  scene.spec.run.backoff_limit = 1;
  for (int retries = 0; retries < 2; ++retries) {
    for (int restarts = 0; restarts < 2; ++restarts) {
      EXPECT_FALSE(is_finished(scene.status)) << retries << " " << restarts;
      scene.now += job_backoff(1);
      scene.start_all();
      restarts_all(scene);
    }
    EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "BackoffLimitExceeded");
    scene.observed = {};
    scene.status = retry_failed_job(scene.status);
  }
  EXPECT_EQ(scene.status.attempt, 4);
  EXPECT_EQ(scene.status.restarts, 2);
}

TEST(Retry, RestsBeforeItsRestartsAsANewJobDoes) {
  Scene scene;
  scene.status.attempt = scene.status.uncharged_restarts = 5;
  scene.start_all();
  scene.status.members.at(ps(0)).failures = member_failures_max - 1;
  scene.exits(ps(0), Exit::bug);
  EXPECT_EQ(scene.decide().wake_at, scene.now + job_backoff(1));
}

TEST(Restarting, DoesNotHoldWhereNothingHasRun) {
  Scene scene;
  scene.refused[worker(0)] = scene.refused[worker(1)] = Refusal::unanswered;
  for (int looks = 0; looks < 3; ++looks) scene.decide();
  EXPECT_GT(scene.status.members.at(worker(0)).incarnation, 1);
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(wait_of(scene),
            "coordinator 0 is starting; ps 0 is starting; 2 of 2 workers (0, 1): perhaps not created: no");
}

TEST(Restarting, DoesNotHoldForWhatVanishedBeforeTheJobRan) {
  Scene scene;
  scene.decide();
  scene.observed.processes.pop_back();
  scene.decide();
  EXPECT_EQ(scene.status.members.at(worker(1)).incarnation, 2);
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(wait_of(scene).find("vanished"), std::string::npos);
}

TEST(Restarting, DoesNotHoldForWhatANodeRefusedOrTheClusterTookAwayBeforeItRan) {
  Scene scene;
  scene.decide();
  scene.exits(worker(0), Exit{137}, "OutOfcpu");
  scene.current(worker(0)).never_ran = true;
  scene.current(worker(1)).terminating = true;
  scene.decide();
  EXPECT_FALSE(restarting(scene).holds);
  EXPECT_EQ(wait_of(scene),
            "coordinator 0 is starting; ps 0 is starting; worker 0: never ran: OutOfcpu; "
            "worker 1: is taken away by the cluster");
}

TEST(Restarting, HoldsForWhatVanishedOrWasTakenAwayFromAJobThatRan) {
  Scene scene;
  scene.start_all();
  scene.current(ps(0)).terminating = true;
  std::erase_if(scene.observed.processes, [](const auto& process) { return process.member == worker(1); });
  scene.decide();
  EXPECT_TRUE(restarting(scene).holds);
  EXPECT_EQ(restarting(scene).message, "ps 0: is taken away by the cluster; worker 1: vanished");
}

TEST(Restarting, EndsWithASuspension) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error);
  scene.decide();
  scene.spec.run.suspend = true;
  scene.decide();
  scene.now += scene.spec.run.drain;
  for (int n = 0; n < 2; ++n) scene.decide();
  EXPECT_TRUE(holds(scene.status, ConditionType::suspended));
  EXPECT_FALSE(restarting(scene).holds);
}

}  // namespace
}  // namespace carrack::control
