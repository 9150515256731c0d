// What the columns of kubectl and `kubectl wait` see after each transition of a job.
#include <gtest/gtest.h>

#include "operator/codec/job.h"
#include "operator/codec/status_fields.h"
#include "operator/core/restart.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using train::Exit;

// "Running MembersRunning: Created Running": the state, the reason of Running, and the conditions that hold.
std::string summary_of(const JobStatus& status) {
  std::string text = state_of(status) + " " + find(status, ConditionType::running)->reason + ":";
  for (const Condition& condition : status.conditions) {
    if (condition.holds) text += " " + std::string(train::spelled(condition.type));
  }
  return text;
}

void reports_step(Scene& scene, std::int64_t step) {
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {step, 100}, std::nullopt};
}

void indexes(Scene& scene) {
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {}, std::nullopt, DataWork{}};
}

void suspends(Scene& scene) {
  scene.spec.run.suspend = true;
  ++scene.spec.generation;
}

void resumes(Scene& scene) {
  scene.spec.run.suspend = false;
  ++scene.spec.generation;
}

void runs(Scene& scene) {
  for (ObservedProcess& process : scene.observed.processes) {
    if (process.state == ProcessState::pending) process.state = ProcessState::running;
  }
}

struct Transition {
  void (*happens)(Scene&);
  const char* summary;
};

void expect(Scene& scene, std::initializer_list<Transition> transitions) {
  int n = 0;
  for (const Transition& transition : transitions) {
    SCOPED_TRACE("transition " + std::to_string(n++));
    transition.happens(scene);
    scene.decide();
    EXPECT_EQ(summary_of(scene.status), transition.summary);
    EXPECT_EQ(scene.status.conditions.size(), std::size(train::spellings<ConditionType>));
    for (const Condition& condition : scene.status.conditions) {
      EXPECT_NE(condition.reason, "") << train::spelled(condition.type);
      EXPECT_EQ(condition.observed_generation, scene.spec.generation) << train::spelled(condition.type);
    }
  }
}

TEST(State, IsRightAfterEachTransitionOfAJobThatSucceeds) {
  Scene scene;
  scene.spec.generation = 1;
  scene.spec.run.progress_deadline = seconds(60);
  expect(scene,
         {{[](Scene&) {}, "Created WaitingForMembers: Created"},
          {[](Scene& it) { runs(it); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { indexes(it); }, "Created Indexing: Created"},
          {[](Scene& it) { reports_step(it, 1); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.observed.report_unreachable = true; }, "Running ProgressUnreachable: Created Running"},
          {[](Scene& it) { it.observed.report_unreachable = false; }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.exits(worker(1), Exit::bug); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.exits(ps(0), Exit::bug); }, "Restarting WaitingForMembers: Created Restarting"},
          {[](Scene& it) { runs(it); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.now += seconds(60); }, "Stalled WaitingForMembers: Created Stalled"},
          {[](Scene& it) { it.now += job_backoff(1); }, "Stalled WaitingForMembers: Created Stalled"},
          {[](Scene& it) { runs(it); }, "Stalled MembersRunning: Created Running Stalled"},
          {[](Scene& it) {
             reports_step(it, 1);
             it.now += seconds(1);
           },
           "Running MembersRunning: Created Running"},
          {[](Scene& it) { suspends(it); }, "Created Draining: Created"},
          {[](Scene& it) { it.now += it.spec.run.drain; }, "Created Suspended: Created"},
          {[](Scene& it) { it.observed.processes.clear(); }, "Suspended Suspended: Created Suspended"},
          {[](Scene& it) { resumes(it); }, "Created WaitingForMembers: Created"},
          {[](Scene& it) { runs(it); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.tells_the_last_commit(); }, "Running MembersRunning: Created Running"},
          {[](Scene& it) { it.exits(coordinator, Exit::succeeded); }, "Succeeded Finished: Created Succeeded Finished"},
          {[](Scene& it) { it.spec.generation = 9; }, "Succeeded Finished: Created Succeeded Finished"}});
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "TrainingSucceeded");
}

TEST(State, IsRightAfterEachTransitionOfAJobThatFailsAndIsTriedAgain) {
  Scene scene;
  scene.spec.generation = 1;
  expect(scene, {{[](Scene&) {}, "Created WaitingForMembers: Created"},
                 {[](Scene& it) { runs(it); }, "Running MembersRunning: Created Running"},
                 {[](Scene& it) { it.exits(worker(0), Exit::user_error, "no such file"); },
                  "Failed Finished: Created Failed Finished"}});
  const Condition succeeded = *find(scene.status, ConditionType::succeeded);
  EXPECT_EQ(succeeded.reason, "UserError");
  EXPECT_EQ(succeeded.message, "");
  EXPECT_EQ(find(scene.status, ConditionType::failed)->message, "worker 0: UserError: no such file");
  scene.observed = {};
  scene.status = retry_failed_job(scene.status);
  expect(scene, {{[](Scene&) {}, "Created WaitingForMembers: Created"},
                 {[](Scene& it) { runs(it); }, "Running MembersRunning: Created Running"}});
  EXPECT_EQ(find(scene.status, ConditionType::failed)->reason, "NotFinished");
}

TEST(State, IsFailedAfterTheFirstLookAtABadSpec) {
  Scene scene;
  scene.spec.config.training.batch = 0;
  expect(scene, {{[](Scene&) {}, "Failed Finished: Created Failed Finished"}});
}

}  // namespace
}  // namespace carrack::control
