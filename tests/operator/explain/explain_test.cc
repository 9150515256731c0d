// What `carrack explain` says of a job that waits, fails, trains or ends.
#include "operator/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/core/reasons.h"
#include "tests/operator/core/own_job.h"
#include "tests/operator/explain/view_of.h"

namespace carrack::control {
namespace {

using testing::HasSubstr;
using testing::Not;
using train::Exit;

std::string explained(const JobView& view) {
  return explain(view, 0);
}

// The text behind a label, of the first line that has it.
std::string line(const JobView& view, const std::string& label) {
  const std::string text = "\n" + explained(view);
  const std::size_t at = text.find("\n" + label + " ");
  if (at == text.npos) return "";
  const std::size_t begin = text.find_first_not_of(' ', at + 1 + label.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

void wait(Scene& scene, const train::Member& member, Wait wait, const std::string& words) {
  ObservedProcess& process = scene.current(member);
  process.state = ProcessState::pending;
  process.wait = wait;
  process.message = words;
}

TEST(Explain, SaysWhichMembersNoNodeCanTake) {
  Scene scene(some_job(1, 4));
  scene.spec.config.workers.min = 4;
  scene.start_all();
  wait(scene, worker(1), Wait::unschedulable, "0/3 nodes are available: 3 Insufficient cpu.");
  wait(scene, worker(3), Wait::unschedulable, "0/3 nodes are available: 3 Insufficient cpu.");
  wait(scene, worker(2), Wait::starting, "");
  scene.decide();
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line waits: no node can take 2 of 4 workers");
  EXPECT_EQ(line(view, "cause"),
            "Unschedulable, for 90 s: 2 of 4 workers (1, 3): 0/3 nodes are available: 3 Insufficient cpu.; worker 2 is "
            "starting");
  EXPECT_THAT(line(view, "what to do"), HasSubstr("Ask for less in spec.replicas.worker.resources, or add nodes."));
  EXPECT_EQ(line(view, "running"), "1 of 1 coordinator, 1 of 1 ps and 1 of 4 workers");
  EXPECT_EQ(line(view, "worker-1"), "pending, pod " + scene.current(worker(1)).name);
}

TEST(Explain, NamesTheRoleThatWaits) {
  Scene scene;
  scene.start_all();
  wait(scene, ps(0), Wait::image_unavailable, "ErrImagePull: no such tag");
  scene.decide();
  EXPECT_EQ(verdict(view_of(scene)), "line waits: the image of ps 0 cannot be pulled");
  wait(scene, ps(0), Wait::unschedulable, "no room");
  scene.decide();
  EXPECT_THAT(line(view_of(scene), "what to do"), HasSubstr("spec.replicas.ps.resources"));
}

TEST(Explain, CountsMembersThatHaveNoPod) {
  Scene scene(some_job(1, 4));
  scene.spec.config.workers.min = 4;
  for (const int index : {0, 2, 3}) scene.refused[worker(index)] = Refusal::quota;
  scene.start_all();
  EXPECT_EQ(verdict(view_of(scene)), "line waits: a quota has no room for 3 of 4 workers");
}

TEST(Explain, GoesByTheStatusWhereTheUserMayNotReadPods) {
  Scene scene(some_job(1, 4));
  scene.spec.config.workers.min = 4;
  scene.start_all();
  wait(scene, worker(3), Wait::unschedulable, "no room");
  scene.decide();
  JobView view = view_of(scene);
  view.has_processes = false;
  view.processes.clear();
  view.gaps = {"its pods: pods is forbidden"};
  EXPECT_EQ(verdict(view), "line waits: no node can take 1 of 4 workers");
  EXPECT_EQ(line(view, "not known"), "its pods: pods is forbidden");
}

TEST(Explain, SaysHowFarAJobIsThatTrains) {
  Scene scene;
  scene.start_all();
  JobView view = view_of(scene, seconds(3600));
  EXPECT_EQ(verdict(view), "line trains: it has not reported a step yet");
  EXPECT_EQ(line(view, "last commit"), "none yet in out");
  view.status.progress = Progress{4'000, 10'000, 0.25, 0.3};
  view.status.last_checkpoint = LastCheckpoint{3'500, "checkpoint-3500-0-1-7.manifest"};
  view.status.evaluation = EvaluationStatus{.step = 3'000, .loss = 0.5, .accuracy = 0.97};
  view.status.best_checkpoint = BestCheckpoint{2'000, "checkpoint-2000-0-1-4.manifest", 0.4};
  EXPECT_EQ(verdict(view), "line trains: step 4,000 of 10,000 (40%), about 90 min left at its average pace");
  EXPECT_EQ(line(view, "what to do"), "Nothing; `carrack top line` follows it.");
  EXPECT_EQ(line(view, "progress"), "step 4,000 of 10,000 (40%), loss 0.25, workers wait for data 30% of their time");
  EXPECT_EQ(line(view, "last commit"), "step 3,500, checkpoint-3500-0-1-7.manifest in out");
  view.status.last_checkpoint->skipped_records = 1'200;
  view.status.last_checkpoint->first_skipped = "x: record 7 at byte 96: no";
  EXPECT_EQ(line(view, "left out"),
            "1,200 uses of damaged records up to step 3,500, the first: x: record 7 at byte 96: no");
  EXPECT_EQ(line(view, "evaluation"),
            "at step 3,000: loss 0.5, accuracy 0.97; the best is that of step 2,000, loss 0.4");
  view.spec.config.checkpoint.resume = "gs://other";
  EXPECT_EQ(verdict(view), "line trains: step 4,000 of 10,000 (40%)") << "its steps are not all its own";
}

TEST(Explain, SaysHowAJobFailedAndWhere) {
  Scene scene;
  scene.start_all();
  scene.current(worker(1)).node = "n1";
  const std::string pod = scene.current(worker(1)).name;
  scene.exits(worker(1), Exit::user_error, "spec.data.train.files: no object matches gs://b/x");
  scene.decide();
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line has failed: a member found a mistake that a retry would find again");
  EXPECT_EQ(line(view, "cause"),
            "UserError, for 90 s: worker 1: UserError: spec.data.train.files: no object matches gs://b/x");
  EXPECT_THAT(line(view, "what to do"), HasSubstr("With `checkpoint.resume: out` it goes on from the last commit."));
  EXPECT_EQ(line(view, "worker-1"), "ended, pod " + pod +
                                        ", on node n1: exit code 81 (UserError): "
                                        "spec.data.train.files: no object matches gs://b/x");
  EXPECT_THAT(line(run_of(scene), "what to do"),
              testing::EndsWith("The same `carrack run` then tries again from the last commit."));
}

TEST(Explain, SaysThatAnotherJobHasTheCheckpointFolder) {
  Scene scene;
  scene.start_all();
  scene.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-7.manifest"};
  scene.exits(coordinator, Exit::checkpoint_taken, "spec.checkpoint.folder: out was taken over by another job");
  scene.decide();
  EXPECT_EQ(line(view_of(scene), "last commit"),
            "step 40, checkpoint-40-0-1-7.manifest in out, which another job has now");
}

TEST(Explain, SaysThatRestartsUsedUpTheirLimit) {
  Scene scene;
  scene.spec.run.backoff_limit = 0;
  scene.start_all();
  for (int failures = 0; failures < 3; ++failures) {
    scene.current(ps(0)).cause = EndCause::out_of_memory;
    scene.exits(ps(0), Exit(137), "OOMKilled");
    scene.decide();
    scene.now += seconds(60);
    scene.start_all();
  }
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line has failed: it needed more restarts than spec.run.backoffLimit allows");
  EXPECT_THAT(line(view, "what to do"), testing::StartsWith("A process used more memory than it may: ask for more "
                                                            "memory in spec.replicas.ps.resources"));
}

TEST(Explain, SaysWhatEndsHaveCost) {
  Scene scene;
  scene.start_all();
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {1'200, 5'000}, std::nullopt};
  scene.exits(coordinator, Exit::bug);
  scene.exits(ps(0), Exit::bug);
  scene.decide();
  EXPECT_EQ(line(view_of(scene), "lost steps"), "1,200 had to be computed again, after 2 restarts and 0 disruptions");
}

TEST(Explain, GoesByTheLastFailureOnceThePodsAreGone) {
  Scene scene;
  scene.start_all();
  ObservedProcess& lost = scene.current(worker(1));
  lost.node = "n1";
  lost.cause = EndCause::node_lost;
  lost.disrupted = true;
  scene.exits(worker(1), Exit(137), "NodeLost: node n1 is unreachable");
  scene.decide();
  JobView view = view_of(scene);
  view.processes.clear();
  EXPECT_EQ(
      line(view, "last failure"),
      "worker-1, 90 s ago, pod line-pvhrt-worker-1-0-1, on node n1: exit code 137 (signal 9): NodeLost: node n1 is "
      "unreachable");
  view.status.last_failure->message = "last words";
  EXPECT_THAT(line(view, "last failure"), testing::EndsWith(": exit code 137 (signal 9): NodeLost: last words"));
}

void fails(Scene& scene, const train::Member& member, int exit_code) {
  scene.start_all();
  scene.exits(member, Exit(exit_code), "no");
  scene.decide();
}

TEST(Explain, TakesNoExitCodeOfAnOwnProgramForOneOfTheTrainer) {
  Scene scene(own_job({.workers = 2}));
  scene.spec.run.backoff_limit = 0;
  fails(scene, worker(1), 83);
  EXPECT_EQ(line(view_of(scene), "last failure"), "worker-1, 90 s ago, pod line-pvhrt-worker-1-0-1: exit code 83: no");
  fails(scene, worker(1), 83);
  EXPECT_EQ(line(view_of(scene), "failures"), "worker 1 has failed 2 times in a row; 3 failures restart the whole job");
  EXPECT_EQ(line(view_of(scene, seconds(2)), "worker-1"),
            "resting, pod line-pvhrt-worker-1-0-2: starts again in 8 s; before: exit code 83: no");
  scene.now += seconds(60);
  fails(scene, worker(1), 83);
  EXPECT_EQ(verdict(view_of(scene)), "line has failed: it needed more restarts than spec.run.backoffLimit allows");
  EXPECT_EQ(line(view_of(scene), "what to do"),
            "Mend what the cause says. `carrack logs line` prints what its program wrote; then delete the job, and "
            "apply it again.");
  EXPECT_EQ(line(run_of(scene), "what to do"),
            "Mend what the cause says. `carrack logs runs/line` prints what its program wrote. The same `carrack run` "
            "then tries again.");
}

TEST(Explain, SaysNothingOfCommitsWhereTheProgramIsTheUsersOwn) {
  Scene scene(own_job({.framework = Framework::pytorch, .workers = 2}));
  fails(scene, worker(1), 1);
  EXPECT_EQ(verdict(view_of(scene)), "line restarts: all members start again");
  EXPECT_THAT(explained(view_of(scene)), Not(HasSubstr("commit")));
  EXPECT_EQ(verdict(run_of(scene, false)), "line stands still: no `carrack run` is at work in its folder");
  EXPECT_EQ(line(run_of(scene, false), "what to do"), "The same `carrack run` starts its members again.");
}

TEST(Explain, SaysWhatRestartsAndHowOften) {
  Scene scene;
  scene.start_all();
  for (int failures = 0; failures < 2; ++failures) {
    scene.start_all();
    scene.exits(ps(0), Exit::platform_error, "cannot write");
    scene.decide();
  }
  JobView view = view_of(scene, seconds(2));
  EXPECT_EQ(verdict(view), "line restarts what has ended: ps 0");
  EXPECT_EQ(line(view, "cause"), "MemberRestarts, for 2 s: ps 0: PlatformError: cannot write");
  EXPECT_EQ(line(view, "failures"), "ps 0 has failed 2 times since the last commit; 3 failures restart the whole job");
  EXPECT_EQ(
      line(view, "ps-0"),
      "resting, pod line-pvhrt-ps-0-0-2: starts again in 8 s; before: exit code 82 (PlatformError): cannot write");
  view.status.attempt = 2;
  EXPECT_EQ(line(view, "restarts"), "all members have been restarted 2 times; spec.run.backoffLimit allows 6");
}

TEST(Explain, NamesTheRoleThatRanOutOfMemoryAlsoWhileAllMembersStartAgain) {
  Scene scene;
  scene.spec.run.failure_rules = {{.causes = {EndCause::out_of_memory}, .action = FailureAction::restart_job}};
  scene.start_all();
  scene.exits(ps(0), Exit(137), "OOMKilled");
  scene.current(ps(0)).cause = EndCause::out_of_memory;
  scene.decide();
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line restarts: all members start again from the last commit");
  EXPECT_THAT(line(view, "what to do"), HasSubstr("ask for more memory in spec.replicas.ps.resources"));
}

TEST(Explain, SaysThatAJobHasStalledUntilItsMembersRunAgain) {
  Scene scene;
  scene.spec.run.progress_deadline = seconds(900);
  scene.start_all();
  scene.observed.report = CoordinatorReport{scene.current(coordinator).fence, {7, 100}, std::nullopt};
  scene.decide();
  scene.now += seconds(900);
  scene.decide();
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line has stalled, and all its members have been started again");
  EXPECT_EQ(
      line(view, "cause"),
      "NoProgress, for 90 s: no new step within spec.run.progressDeadlineSeconds (900), so all members start again");
}

TEST(Explain, TellsThatItWaitsWhileItRestarts) {
  Scene scene;
  scene.start_all();
  scene.exits(ps(0), Exit::platform_error, "cannot write");
  scene.decide();
  wait(scene, ps(0), Wait::unschedulable, "no room");
  scene.decide();
  const JobView view = view_of(scene);
  EXPECT_EQ(verdict(view), "line waits: no node can take ps 0");
  EXPECT_EQ(line(view, "last failure"),
            "ps-0, 90 s ago, pod line-pvhrt-ps-0-0-1: exit code 82 (PlatformError): cannot write");
}

TEST(Explain, KnowsASuspendedJobAndOneThatIsBeingSuspended) {
  Scene scene;
  scene.start_all();
  scene.spec.run.suspend = true;
  scene.decide();
  EXPECT_EQ(verdict(view_of(scene)), "line is being stopped: it commits what is done");
  EXPECT_EQ(line(view_of(scene, seconds(20)), "stops"), "at the latest in 40 s");
  scene.now += seconds(61);
  scene.decide();
  scene.decide();
  scene.decide();
  EXPECT_EQ(verdict(view_of(scene)), "line is suspended");
  EXPECT_EQ(line(view_of(scene), "what to do"),
            "`kubectl patch tj line --type=merge -p '{\"spec\":{\"run\":{\"suspend\":false}}}'` continues it from the "
            "last commit.");
  EXPECT_EQ(verdict(run_of(scene, false)), "line is suspended");
  EXPECT_EQ(line(run_of(scene, false), "what to do"), "The same `carrack run` continues it from the last commit.");
}

TEST(Explain, SaysHowLongAJobTookThatSucceeded) {
  Scene scene;
  scene.start_all();
  scene.exits(coordinator, Exit::succeeded);
  scene.now += seconds(720);
  scene.decide();
  EXPECT_EQ(verdict(view_of(scene)), "line has succeeded: step 100 of 100 (100%), in 12 min");
  EXPECT_THAT(line(view_of(scene), "what to do"), testing::StartsWith("`carrack plot out` draws its losses"));
}

TEST(Explain, KnowsAJobThatNobodyWorksOn) {
  Scene scene;
  EXPECT_EQ(verdict(view_of(scene)), "line waits: no operator has taken it up");
  EXPECT_EQ(verdict(run_of(scene, false)), "line stands still: no `carrack run` is at work in its folder");
  scene.start_all();
  EXPECT_EQ(verdict(run_of(scene, false)), "line stands still: no `carrack run` is at work in its folder");
  JobView view = view_of(scene);
  view.is_being_deleted = true;
  EXPECT_EQ(verdict(view), "line is being deleted");
  scene.status.conditions.clear();
  view = view_of(scene);
  view.events = {
      {.pod = "", .warning = true, .reason = reasons::unreadable, .note = "unknown field", .last = view.now}};
  EXPECT_EQ(verdict(view), "line is left alone: the cluster's definition of TrainingJobs is of another release");
}

TEST(Explain, SaysSoIfTheOperatorHasNotSeenTheLastChange) {
  Scene scene;
  scene.spec.generation = 3;
  scene.start_all();
  EXPECT_THAT(explained(view_of(scene)), Not(HasSubstr("not known")));
  scene.spec.generation = 4;
  EXPECT_EQ(line(view_of(scene), "not known"),
            "what follows from the last change of the spec: the operator has not decided on it yet");
}

TEST(Explain, ShowsTheNewestWarningsAboutPods) {
  Scene scene;
  scene.start_all();
  JobView view = view_of(scene);
  view.events = {{"line-a-worker-0-0-1", true, "BackOff", "pulling failed", 12, view.now - seconds(300)},
                 {"line-a-worker-1-0-1", true, "Evicted", "low on memory", 1, view.now - seconds(3)},
                 {"", true, "MemberRestarts", "told by the condition", 1, view.now}};
  EXPECT_THAT(explained(view), HasSubstr("event         3 s ago, pod line-a-worker-1-0-1: Evicted: low on memory\n"
                                         "event         5 min ago, 12 times, pod line-a-worker-0-0-1: BackOff: pulling "
                                         "failed\n"));
  EXPECT_THAT(explained(view), Not(HasSubstr("told by the condition")));
}

TEST(Explain, NamesAReasonOfALaterRelease) {
  Scene scene;
  scene.start_all();
  JobView view = view_of(scene);
  set_condition(view.status, {ConditionType::running, false, "Hibernates", "until spring", view.now});
  EXPECT_EQ(verdict(view), "line is in a state that this release does not know: Hibernates");
  EXPECT_EQ(line(view, "what to do"), "Use the `carrack` of the operator's release.");
}

TEST(Explain, WrapsLinesAtTheWidthOfATerminal) {
  Scene scene;
  scene.start_all();
  wait(scene, ps(0), Wait::denied, "one two three four five six seven\nsecond line of words");
  scene.decide();
  const std::string text = explain(view_of(scene), 45);
  EXPECT_THAT(text, HasSubstr("cause         Denied, for 90 s: ps 0: one two\n"
                              "              three four five six seven\n"
                              "              second line of words\n"));
}

}  // namespace
}  // namespace carrack::control
