#include "operator/cli/progress_line.h"

#include <gtest/gtest.h>

#include "operator/core/conditions.h"

namespace carrack::control {
namespace {

constexpr Time start{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};

JobStatus at(std::int64_t step) {
  JobStatus status;
  set_condition(status, {ConditionType::running, true, "MembersRunning", "", start});
  status.progress = Progress{step, 1000, 0.25};
  status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-3.manifest"};
  return status;
}

TEST(ProgressLine, TellsStepsLossAndCheckpointAsFarAsTheyAreKnown) {
  JobStatus status = at(50);
  EXPECT_EQ(progress_text(status), "step 50 of 1000, loss 0.25, checkpoint 40");
  status.progress->loss.reset();
  status.last_checkpoint.reset();
  EXPECT_EQ(progress_text(status), "step 50 of 1000");
  status.progress->steps = 0;
  EXPECT_EQ(progress_text(status), "step 50") << "of nobody knows how many";
  status.progress->step = 0;
  EXPECT_EQ(progress_text(status), "");
  EXPECT_EQ(progress_text({}), "");
}

TEST(ProgressLine, SaysTheConditionOnceWhereItsReasonIsTheSameWord) {
  JobStatus status;
  EXPECT_EQ(condition_text(status), "");
  set_condition(status, {ConditionType::suspended, true, "Suspended", "", start});
  EXPECT_EQ(condition_text(status), "Suspended");
  set_condition(status, {ConditionType::failed, true, "UserError", "worker 0: \x1b[2J no", start});
  EXPECT_EQ(condition_text(status), "Failed (UserError): worker 0: \\x1b[2J no");
}

TEST(ProgressLine, IsDrawnOverOnATerminal) {
  ProgressLine line(true);
  EXPECT_EQ(line.next(at(100), start),
            "Running (MembersRunning)\n\r[###...........................] step 100 of 1000, loss 0.25, checkpoint "
            "40\033[K");
  EXPECT_EQ(line.next(at(100), start), "");
  EXPECT_EQ(line.next(at(101), start),
            "\r[###...........................] step 101 of 1000, loss 0.25, checkpoint 40\033[K");
  JobStatus done = at(1000);
  finish(done, {true, "TrainingSucceeded", ""}, start);
  EXPECT_EQ(line.next(done, start),
            "\r[##############################] step 1000 of 1000, loss 0.25, checkpoint 40\033[K");
  EXPECT_EQ(line.end(), "\n");
  EXPECT_EQ(line.end(), "");
}

TEST(ProgressLine, HasNoBarWhileNobodyKnowsHowManyStepsThereAre) {
  ProgressLine line(true), log(false);
  JobStatus status = at(50);
  status.progress->steps = 0;
  EXPECT_EQ(line.next(status, start), "Running (MembersRunning)\n\rstep 50, loss 0.25, checkpoint 40\033[K");
  log.next(status, start);
  status.progress->step = 500;
  EXPECT_EQ(log.next(status, start + seconds(59)), "");
  EXPECT_EQ(log.next(status, start + seconds(60)), "step 500, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(log.next(at(501), start + seconds(61)), "step 501 of 1000, loss 0.25, checkpoint 40\n");
}

TEST(ProgressLine, CallsAJobCreatedOnce) {
  JobStatus status;
  set_condition(status, {ConditionType::created, true, "JobCreated", "", start});
  ProgressLine line(false);
  EXPECT_EQ(line.next(status, start), "Created (JobCreated)\n");
  set_condition(status, {ConditionType::running, true, "MembersRunning", "", start});
  EXPECT_EQ(line.next(status, start), "Running (MembersRunning)\n");
  set_condition(status, {ConditionType::running, false, "WaitingForMembers", "worker 0 rests", start});
  EXPECT_EQ(line.next(status, start), "");
}

TEST(ProgressLine, IsALineEachTenthAndEachMinuteElsewhere) {
  ProgressLine line(false);
  EXPECT_EQ(line.next(at(10), start), "Running (MembersRunning)\n");
  EXPECT_EQ(line.next(at(99), start + seconds(59)), "");
  EXPECT_EQ(line.next(at(100), start + seconds(59)), "step 100 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(line.next(at(101), start + seconds(118)), "");
  EXPECT_EQ(line.next(at(102), start + seconds(119)), "step 102 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(line.next(at(102), start + seconds(300)), "") << "nothing new";
  JobStatus done = at(1000);
  finish(done, {true, "TrainingSucceeded", ""}, start);
  EXPECT_EQ(line.next(done, start + seconds(300)), "step 1000 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(line.end(), "");
}

TEST(ProgressLine, TellsHowFarAJobCameThatEndedBeforeItWasTime) {
  JobStatus done = at(1000);
  finish(done, {true, "TrainingSucceeded", ""}, start);
  ProgressLine never_seen(false), seen_once(false);
  EXPECT_EQ(never_seen.next(done, start), "step 1000 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(seen_once.next(at(1000), start), "Running (MembersRunning)\n");
  EXPECT_EQ(seen_once.next(done, start), "step 1000 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(seen_once.next(done, start), "");
  JobStatus refused;
  finish(refused, {false, "UserError", "no"}, start);
  EXPECT_EQ(ProgressLine(false).next(refused, start), "");
}

}  // namespace
}  // namespace carrack::control
