#include "operator/cli/second_run.h"

#include <gtest/gtest.h>

#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

constexpr const char* folder = "/runs/line";

JobSpec asked() {
  JobSpec spec = some_job();
  spec.uid.clear();
  spec.config.checkpoint.folder = std::string(folder) + "/checkpoints";
  return spec;
}

KeptJob kept() {
  JobSpec spec = asked();
  spec.uid = "1b4e28ba";
  spec.generation = 2;
  Scene scene(spec);
  scene.start_all();
  return {spec, scene.status};
}

KeptJob ended_by(const train::Exit exit) {
  Scene scene(kept().spec);
  scene.start_all();
  scene.exits(coordinator, exit);
  scene.decide();
  return {scene.spec, scene.status};
}

TEST(SecondRun, GoesOnWithTheSameJobAndItsStatus) {
  KeptJob expected = kept();
  expected.spec.generation = 3;
  EXPECT_EQ(std::get<KeptJob>(second_run(kept(), asked(), folder)), expected);
}

TEST(SecondRun, TakesASuspensionBack) {
  KeptJob suspended = kept();
  suspended.spec.suspend = true;
  const auto next = std::get<KeptJob>(second_run(suspended, asked(), folder));
  EXPECT_FALSE(next.spec.suspend);
  EXPECT_EQ(next.spec.uid, "1b4e28ba");
}

KeptJob committed() {
  KeptJob job = kept();
  job.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-3.manifest"};
  return job;
}

TEST(SecondRun, TakesWhatMayChangeWhileAJobRuns) {
  JobSpec changed = asked();
  changed.backoff_limit = 9;
  changed.drain = seconds(5);
  const auto next = std::get<KeptJob>(second_run(committed(), changed, folder));
  EXPECT_EQ(next.spec.backoff_limit, 9);
  EXPECT_EQ(next.spec.drain, seconds(5));
  EXPECT_EQ(next.status, committed().status);
}

TEST(SecondRun, RefusesAnotherJobAndNamesTheFieldThatDiffers) {
  JobSpec other = asked();
  other.config.training.batch = 64;
  EXPECT_EQ(std::get<Stay>(second_run(committed(), other, folder)),
            (Stay{2,
                  "/runs/line: holds the run of another job, as spec.training.batch differs; put it back, or give this "
                  "one another --folder, with spec.checkpoint.resume: /runs/line/checkpoints to go on from what that "
                  "run has trained"}));
  other = asked();
  other.config.training.optimizer = train::Adam{};
  EXPECT_NE(std::get<Stay>(second_run(committed(), other, folder)).text.find("spec.training.optimizer differs"),
            std::string::npos);
}

TEST(SecondRun, TakesAnotherManifestWhereNothingWasCommitted) {
  JobSpec other = asked();
  other.config.data.files = {"corrected-*.tfrecord"};
  other.config.workers = {1, 1};
  const auto next = std::get<KeptJob>(second_run(ended_by(train::Exit::user_error), other, folder));
  other.uid = "1b4e28ba";
  other.generation = 3;
  EXPECT_EQ(next.spec, other);
  EXPECT_EQ(next.status.attempt, 1);
  EXPECT_FALSE(is_finished(next.status));
}

TEST(SecondRun, TriesAFailedJobAgainFromItsLastCommit) {
  KeptJob failed = ended_by(train::Exit::user_error);
  failed.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-3.manifest"};
  const auto next = std::get<KeptJob>(second_run(failed, asked(), folder));
  EXPECT_EQ(next.status.attempt, 1);
  EXPECT_FALSE(is_finished(next.status));
  EXPECT_EQ(next.status.last_checkpoint, failed.status.last_checkpoint);
}

TEST(SecondRun, LeavesAJobThatHasSucceededAndSaysWhereItsCheckpointIs) {
  EXPECT_EQ(
      std::get<Stay>(second_run(ended_by(train::Exit::succeeded), asked(), folder)),
      (Stay{0,
            "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoint of step 100: "
            "/runs/line/checkpoints/checkpoint-100; to train anew, remove /runs/line, or give another --folder"}));
}

TEST(SecondRun, NamesCheckpointsThatLieElsewhere) {
  KeptJob succeeded = ended_by(train::Exit::succeeded);
  JobSpec spec = asked();
  succeeded.spec.config.checkpoint.folder = spec.config.checkpoint.folder = "gs://bucket/line";
  EXPECT_EQ(std::get<Stay>(second_run(succeeded, spec, folder)).text,
            "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoint of step 100: "
            "gs://bucket/line/checkpoint-100; to train anew, remove /runs/line and gs://bucket/line, or give another "
            "--folder and another spec.checkpoint.folder");
}

}  // namespace
}  // namespace carrack::control
