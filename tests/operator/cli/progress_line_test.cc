#include "operator/cli/progress_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "operator/core/conditions.h"
#include "tests/operator/core/own_job.h"

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

std::optional<TerminalView> terminal(int columns = 200, std::int64_t batch = 1, std::int64_t epochs = 1) {
  return TerminalView{[columns] { return columns; }, batch, epochs};
}

constexpr std::nullopt_t log_file = std::nullopt;

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

TEST(ProgressLine, TellsTheLastEvaluation) {
  JobStatus status = at(50);
  status.evaluation = EvaluationStatus{40, 0.125};
  EXPECT_EQ(progress_text(status), "step 50 of 1000, loss 0.25, checkpoint 40, evaluated: loss 0.125");
  status.evaluation->accuracy = 0.98765;
  EXPECT_EQ(progress_text(status), "step 50 of 1000, loss 0.25, checkpoint 40, evaluated: loss 0.125, accuracy 0.9877");
  status.evaluation->loss.reset();
  EXPECT_EQ(progress_text(status),
            "step 50 of 1000, loss 0.25, checkpoint 40, evaluated: loss nan or inf, accuracy 0.9877");
  status.evaluation->accuracy.reset();
  EXPECT_EQ(progress_text(status), "step 50 of 1000, loss 0.25, checkpoint 40, evaluated: loss nan or inf");
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
  ProgressLine line(terminal());
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
  ProgressLine line(terminal()), log(log_file);
  JobStatus status = at(50);
  status.progress->steps = 0;
  EXPECT_EQ(line.next(status, start), "Running (MembersRunning)\n\rstep 50, loss 0.25, checkpoint 40\033[K");
  log.next(status, start);
  status.progress->step = 500;
  EXPECT_EQ(log.next(status, start + seconds(59)), "");
  EXPECT_EQ(log.next(status, start + seconds(60)), "step 500, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(log.next(at(501), start + seconds(61)), "step 501 of 1000, loss 0.25, checkpoint 40\n");
}

JobStatus without_checkpoint(std::int64_t step) {
  JobStatus status = at(step);
  status.last_checkpoint.reset();
  status.conditions.clear();
  return status;
}

TEST(ProgressLine, SaysTheEpochThePaceAndTheTimeThatIsLeft) {
  ProgressLine line(terminal(200, 32, 4));
  EXPECT_EQ(line.next(without_checkpoint(0), start),
            "\r[..............................] epoch 1 of 4, step 0 of 1000\033[K");
  EXPECT_EQ(line.next(without_checkpoint(50), start + seconds(1)),
            "\r[#.............................] epoch 1 of 4, step 50 of 1000, loss 0.25\033[K");
  EXPECT_EQ(
      line.next(without_checkpoint(250), start + seconds(5)),
      "\r[#######.......................] epoch 2 of 4, step 250 of 1000, loss 0.25, 1600 records/s, 15 s left\033[K");
  JobStatus done = at(1000);
  finish(done, {true, "TrainingSucceeded", ""}, start);
  EXPECT_EQ(line.next(done, start + seconds(20)),
            "\r[##############################] epoch 4 of 4, step 1000 of 1000, loss 0.25, checkpoint 40\033[K");
}

TEST(ProgressLine, SaysHowLongWorkersWaitForDataIfTheyDo) {
  ProgressLine line(terminal());
  JobStatus status = without_checkpoint(100);
  status.progress->input_wait = 0.04;
  EXPECT_EQ(line.next(status, start), "\r[###...........................] step 100 of 1000, loss 0.25\033[K");
  status.progress->input_wait = 0.351;
  EXPECT_EQ(line.next(status, start),
            "\r[###...........................] step 100 of 1000, loss 0.25, waits for data 35%\033[K");
  finish(status, {true, "TrainingSucceeded", ""}, start);
  EXPECT_EQ(line.next(status, start), "\r[###...........................] step 100 of 1000, loss 0.25\033[K");
}

TEST(ProgressLine, KeepsTheEpochOfAJobThatEndsEarly) {
  ProgressLine line(terminal(200, 32, 4));
  line.next(without_checkpoint(500), start);
  JobStatus status = without_checkpoint(510);
  status.progress->steps = 520;
  EXPECT_EQ(line.next(status, start),
            "\r[#############################.] epoch 3 of 4, step 510 of 520, loss 0.25\033[K");
}

TEST(ProgressLine, SmoothsTheLossUntilTheEnd) {
  ProgressLine line(terminal());
  line.next(without_checkpoint(100), start);
  JobStatus status = without_checkpoint(200);
  status.progress->loss = 1.25;
  EXPECT_EQ(line.next(status, start), "\r[######........................] step 200 of 1000, loss 0.55\033[K");
  status.progress->step = 150;  // The job goes on from a commit.
  EXPECT_EQ(line.next(status, start), "\r[####..........................] step 150 of 1000, loss 1.25\033[K");
  status.progress->step = 300;
  status.progress->loss = 0.25;
  finish(status, {true, "TrainingSucceeded", ""}, start);
  EXPECT_EQ(line.next(status, start), "\r[#########.....................] step 300 of 1000, loss 0.25\033[K");
}

TEST(ProgressLine, HasNoLossBeforeTheFirstStep) {
  ProgressLine line(terminal());
  JobStatus status = without_checkpoint(0);
  status.progress->loss = 0;
  EXPECT_EQ(progress_text(status), "step 0 of 1000");
  EXPECT_EQ(line.next(status, start), "\r[..............................] step 0 of 1000\033[K");
  EXPECT_EQ(line.next(without_checkpoint(1), start),
            "\r[..............................] step 1 of 1000, loss 0.25\033[K");
}

// Another release, or another process, may have written the status.
LastFailure failure_of_worker(const std::string& pod) {
  return {.member = "worker-1", .pod = pod, .exit_code = 137, .signal = 9, .message = "\x1b[2J no", .time = start};
}

TEST(ProgressLine, SaysWhichMemberStartsAgainWhileTheJobRuns) {
  ProgressLine line(log_file);
  JobStatus status = at(100);
  status.last_failure = failure_of_worker("before");
  EXPECT_EQ(line.next(status, start), "Running (MembersRunning)\n") << "it was there when the run began";
  status.last_failure = failure_of_worker("pod-1");
  EXPECT_EQ(line.next(status, start), "worker-1 has ended and starts again: exit code 137 (signal 9): \\x1b[2J no\n");
  EXPECT_EQ(line.next(status, start), "");
  status.last_failure = failure_of_worker("pod-2");
  set_condition(status, {ConditionType::restarting, true, "MemberRestarts", "worker 1: no", start});
  EXPECT_EQ(line.next(status, start), "Restarting (MemberRestarts): worker 1: no\n") << "the condition says it";
  EXPECT_EQ(line.next(status, start), "");
}

TEST(ProgressLine, SaysWhichMemberHasStartedAgainBeforeTheJobRuns) {
  ProgressLine line(log_file);
  JobStatus status;
  set_condition(status, {ConditionType::created, true, "JobCreated", "", start});
  EXPECT_EQ(line.next(status, start), "Created (JobCreated)\n");
  status.last_failure = failure_of_worker("pod-1");
  set_condition(status, {ConditionType::running, true, "MembersRunning", "", start});
  EXPECT_EQ(line.next(status, start),
            "worker-1 has ended and starts again: exit code 137 (signal 9): \\x1b[2J no\nRunning (MembersRunning)\n");
}

TEST(ProgressLine, TakesNoExitCodeOfAnOwnProgramForOneOfTheTrainer) {
  ProgressLine line(log_file, own_job({}));
  JobStatus status = at(100);
  line.next(status, start);
  status.last_failure = {.member = "worker-1", .pod = "pod-1", .exit_code = 83, .message = "no", .time = start};
  EXPECT_EQ(line.next(status, start), "worker-1 has ended and starts again: exit code 83: no\n");
}

TEST(ProgressLine, FitsAnyTerminal) {
  for (int columns = 10; columns < 160; ++columns) {
    ProgressLine line(terminal(columns, 1'000'000, 30));
    line.next(without_checkpoint(0), start);
    JobStatus status = at(700);
    status.conditions.clear();
    const std::string drawn = line.next(status, start + seconds(3));
    ASSERT_TRUE(drawn.starts_with("\r") && drawn.ends_with("\033[K")) << columns;
    EXPECT_LE(std::ssize(drawn) - 4, columns - 1) << drawn;
    if (columns == 80) {
      EXPECT_EQ(drawn, "\repoch 22 of 30, step 700 of 1000, loss 0.25, 233M records/s, 1 s left\033[K");
    }
    if (columns == 40) {
      EXPECT_EQ(drawn, "\rstep 700 of 1000, loss 0.25, 1 s left\033[K");
    }
    if (columns == 20) {
      EXPECT_EQ(drawn, "\rstep 700 of 1000\033[K");
    }
  }
}

TEST(Pace, IsThatOfTheLastSeconds) {
  Pace pace;
  EXPECT_EQ(pace.steps_per_second(), std::nullopt);
  for (int second = 0; second <= 60; ++second) {
    pace.add(second < 30 ? 0 : (second - 30) * 10, start + seconds(second));
    if (second == 29) {
      EXPECT_EQ(pace.steps_per_second(), std::nullopt) << "nothing happens";
    }
  }
  EXPECT_DOUBLE_EQ(*pace.steps_per_second(), 10);
  pace.add(5, start + seconds(61));
  EXPECT_EQ(pace.steps_per_second(), std::nullopt) << "it begins anew";
}

TEST(Pace, SaysDurationsInWords) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(99.4), "99 s");
  EXPECT_EQ(duration_text(99.6), "2 min");
  EXPECT_EQ(duration_text(7199), "120 min");
  EXPECT_EQ(duration_text(7260), "2 h 1 min");
  EXPECT_EQ(duration_text(86'400.0 * 3), "3 days");
  EXPECT_EQ(duration_text(1e30), "years");
}

TEST(ProgressLine, CallsAJobCreatedOnce) {
  JobStatus status;
  set_condition(status, {ConditionType::created, true, "JobCreated", "", start});
  ProgressLine line(log_file);
  EXPECT_EQ(line.next(status, start), "Created (JobCreated)\n");
  set_condition(status, {ConditionType::running, true, "MembersRunning", "", start});
  EXPECT_EQ(line.next(status, start), "Running (MembersRunning)\n");
  set_condition(status, {ConditionType::running, false, "WaitingForMembers", "worker 0 rests", start});
  EXPECT_EQ(line.next(status, start), "");
}

TEST(ProgressLine, IsALineEachTenthAndEachMinuteElsewhere) {
  ProgressLine line(log_file);
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
  ProgressLine never_seen(log_file), seen_once(log_file);
  EXPECT_EQ(never_seen.next(done, start), "step 1000 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(seen_once.next(at(1000), start), "Running (MembersRunning)\n");
  EXPECT_EQ(seen_once.next(done, start), "step 1000 of 1000, loss 0.25, checkpoint 40\n");
  EXPECT_EQ(seen_once.next(done, start), "");
  JobStatus refused;
  finish(refused, {false, "UserError", "no"}, start);
  EXPECT_EQ(ProgressLine(log_file).next(refused, start), "");
}

}  // namespace
}  // namespace carrack::control
