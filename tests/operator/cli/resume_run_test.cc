#include "operator/cli/resume_run.h"

#include <gtest/gtest.h>

#include "tests/operator/core/own_job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

constexpr const char* folder = "/runs/line";

JobSpec requested() {
  JobSpec spec = some_job();
  spec.uid.clear();
  spec.config.checkpoint.folder = std::string(folder) + "/checkpoints";
  return spec;
}

SavedJob saved() {
  JobSpec spec = requested();
  spec.uid = "1b4e28ba";
  spec.generation = 2;
  Scene scene(spec);
  scene.start_all();
  return {spec, scene.status};
}

SavedJob ended_by(const train::Exit exit) {
  Scene scene(saved().spec);
  scene.start_all();
  scene.exits(coordinator, exit);
  scene.decide();
  return {scene.spec, scene.status};
}

SavedJob committed() {
  SavedJob job = saved();
  job.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-3.manifest"};
  return job;
}

// While no run was at work the job was not active, so its deadlines begin anew.
JobStatus without_begin(JobStatus status) {
  std::erase_if(status.conditions, [](const Condition& condition) {
    return condition.type == ConditionType::created || condition.type == ConditionType::suspended;
  });
  return status;
}

TEST(SecondRun, GoesOnWithTheSameJobAndItsStatus) {
  SavedJob expected = saved();
  expected.spec.generation = 3;
  expected.status = without_begin(expected.status);
  EXPECT_EQ(std::get<SavedJob>(resume_run(saved(), requested(), folder)), expected);
}

// The places of records do not depend on it.
TEST(SecondRun, MayLeaveOutDamagedRecordsThatTheFirstOneStoppedAt) {
  JobSpec skipping = requested();
  skipping.config.data.on_damage = train::OnDamage::skip;
  const auto resumed = resume_run(committed(), skipping, folder);
  EXPECT_EQ(std::get<SavedJob>(resumed).spec.config.data.on_damage, train::OnDamage::skip);
}

TEST(SecondRun, HasTheFolderOfTheFirst) {
  SavedJob first = committed();
  first.spec.config.checkpoint.folder = "/out/1b4e28ba";
  JobSpec second = requested();
  second.config.checkpoint.folder = "/out/$(UID)";
  EXPECT_EQ(std::get<SavedJob>(resume_run(first, second, folder)).spec.config.checkpoint.folder, "/out/1b4e28ba");
}

TEST(SecondRun, ResumesASuspendedJob) {
  SavedJob suspended = saved();
  suspended.spec.run.suspend = true;
  const auto next = std::get<SavedJob>(resume_run(suspended, requested(), folder));
  EXPECT_FALSE(next.spec.run.suspend);
  EXPECT_EQ(next.spec.uid, "1b4e28ba");
}

TEST(SecondRun, AcceptsFieldsThatMayChangeWhileAJobRuns) {
  JobSpec changed = requested();
  changed.run.backoff_limit = 9;
  changed.run.drain = seconds(5);
  const auto next = std::get<SavedJob>(resume_run(committed(), changed, folder));
  EXPECT_EQ(next.spec.run.backoff_limit, 9);
  EXPECT_EQ(next.spec.run.drain, seconds(5));
  EXPECT_EQ(next.status, without_begin(committed().status));
}

TEST(SecondRun, RefusesAnotherJobAndNamesTheFieldThatDiffers) {
  JobSpec other = requested();
  other.config.training.batch = 64;
  EXPECT_EQ(
      std::get<RunRefusal>(resume_run(committed(), other, folder)),
      (RunRefusal{2,
                  "/runs/line: holds the run of another job, as spec.training.batch differs; put it back, or give this "
                  "one another --folder, with spec.checkpoint.resume: /runs/line/checkpoints to go on from what that "
                  "run has trained"}));
  other = requested();
  other.config.training.optimizer = train::Adam{};
  EXPECT_NE(std::get<RunRefusal>(resume_run(committed(), other, folder)).text.find("spec.training.optimizer differs"),
            std::string::npos);
}

TEST(SecondRun, NamesAFieldThatIsThereInOneManifestOnly) {
  JobSpec other = requested();
  other.config.training.clip = train::Clip{.norm = 1};
  EXPECT_NE(std::get<RunRefusal>(resume_run(committed(), other, folder)).text.find("spec.training.clip differs"),
            std::string::npos);
}

JobSpec own_program(const std::string& fields) {
  JobSpec spec = own_job({.workers = 1});
  spec.worker_pod.pod_template = own_template(fields);
  return spec;
}

SavedJob started(const JobSpec& spec) {
  Scene scene(spec);
  scene.start_all();
  return {spec, scene.status};
}

TEST(SecondRun, RefusesAnotherCommandOfAProgramWhoseJobHasNotEnded) {
  const std::string before = "command: [python, fit.py]\n    env: [{name: RATE, value: \"1\"}]";
  const SavedJob saved = started(own_program(before));
  JobSpec requested = own_program(before);
  requested.run.backoff_limit = 9;
  EXPECT_TRUE(std::holds_alternative<SavedJob>(resume_run(saved, requested, folder)));
  const auto refusal = [&](const std::string& fields) {
    const RunRefusal refused = std::get<RunRefusal>(resume_run(saved, own_program(fields), folder));
    EXPECT_EQ(refused.exit_code, 2);
    return refused.text;
  };
  const std::string begins =
                        "/runs/line: holds the run of another job, as spec.replicas.worker.template.spec.containers[0]",
                    ends = " differs; put it back, or give this one another --folder, or remove the folder";
  EXPECT_EQ(refusal("command: [python, other.py]\n    env: [{name: RATE, value: \"1\"}]"), begins + ".command" + ends);
  EXPECT_EQ(refusal("command: [python, fit.py, -x]\n    env: [{name: RATE, value: \"1\"}]"),
            begins + ".command" + ends);
  EXPECT_EQ(refusal("command: [python, fit.py]\n    env: [{name: RATE, value: \"2\"}]"),
            begins + ".env[0].value" + ends);
  EXPECT_EQ(refusal("command: [python, fit.py]"), begins + ".env" + ends);
  EXPECT_EQ(refusal(before + "\n    args: [--fast]"), begins + ".args" + ends);
}

TEST(SecondRun, AcceptsAnotherCommandOfAProgramWhoseJobHasFailed) {
  Scene scene(own_program("command: [pyton, fit.py]"));
  scene.decide();
  scene.current(worker(0)).cannot_start = true;
  scene.current(worker(0)).state = ProcessState::exited;
  scene.decide();
  const JobSpec mended = own_program("command: [python, fit.py]");
  const auto next = std::get<SavedJob>(resume_run({scene.spec, scene.status}, mended, folder));
  EXPECT_EQ(next.spec.worker_pod.pod_template, mended.worker_pod.pod_template);
  EXPECT_EQ(next.status.attempt, 1);
}

TEST(SecondRun, AcceptsAnotherManifestBeforeTheFirstCommit) {
  JobSpec other = requested();
  other.config.data.files = {"corrected-*.tfrecord"};
  other.config.workers = {1, 1};
  const auto next = std::get<SavedJob>(resume_run(ended_by(train::Exit::user_error), other, folder));
  other.uid = "1b4e28ba";
  other.generation = 3;
  EXPECT_EQ(next.spec, other);
  EXPECT_EQ(next.status.attempt, 1);
  EXPECT_FALSE(is_finished(next.status));
}

TEST(SecondRun, RetriesAFailedJobFromItsLastCommit) {
  SavedJob failed = ended_by(train::Exit::user_error);
  failed.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-3.manifest"};
  const auto next = std::get<SavedJob>(resume_run(failed, requested(), folder));
  EXPECT_EQ(next.status.attempt, 1);
  EXPECT_FALSE(is_finished(next.status));
  EXPECT_EQ(next.status.last_checkpoint, failed.status.last_checkpoint);
}

TEST(SecondRun, RefusesAJobThatHasSucceededAndNamesItsCheckpoint) {
  EXPECT_EQ(std::get<RunRefusal>(resume_run(ended_by(train::Exit::succeeded), requested(), folder)),
            (RunRefusal{0,
                        "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoint of step 100: "
                        "/runs/line/checkpoints/checkpoint-100; to train from the start, remove /runs/line, or give "
                        "another --folder"}));
}

TEST(SecondRun, AdvisesToRemoveNothingThatAnotherJobHasTaken) {
  SavedJob succeeded = ended_by(train::Exit::succeeded);
  JobSpec spec = requested();
  EXPECT_EQ(std::get<RunRefusal>(resume_run(succeeded, spec, folder, "77aa")).text,
            "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoints: /runs/line/checkpoints, which "
            "another job has now, with UID 77aa; to train from the start, give another --folder");
  succeeded.spec.config.checkpoint.folder = spec.config.checkpoint.folder = "gs://bucket/line";
  EXPECT_EQ(
      std::get<RunRefusal>(resume_run(succeeded, spec, folder, "77aa")).text,
      "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoints: gs://bucket/line, which another "
      "job has now, with UID 77aa; to train from the start, give another --folder and another spec.checkpoint.folder");
}

TEST(SecondRun, NamesCheckpointsOutsideOfTheFolder) {
  SavedJob succeeded = ended_by(train::Exit::succeeded);
  JobSpec spec = requested();
  succeeded.spec.config.checkpoint.folder = spec.config.checkpoint.folder = "gs://bucket/line";
  EXPECT_EQ(std::get<RunRefusal>(resume_run(succeeded, spec, folder)).text,
            "/runs/line: this run has ended: Succeeded (TrainingSucceeded); checkpoint of step 100: "
            "gs://bucket/line/checkpoint-100; to train from the start, remove /runs/line and gs://bucket/line, or give "
            "another "
            "--folder and another spec.checkpoint.folder");
}

}  // namespace
}  // namespace carrack::control
