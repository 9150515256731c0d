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

TEST(SecondRun, RefusesAnotherJobAndNamesTheFieldThatDiffers) {
  JobSpec other = asked();
  other.config.training.batch = 64;
  EXPECT_EQ(std::get<Stay>(second_run(kept(), other, folder)),
            (Stay{2,
                  "/runs/line: holds the run of another job, as spec.training.batch differs; give this "
                  "one another --folder, or remove that one"}));
  other = asked();
  other.config.training.optimizer = train::Adam{};
  EXPECT_NE(std::get<Stay>(second_run(kept(), other, folder)).text.find("spec.training.optimizer differs"),
            std::string::npos);
}

TEST(SecondRun, SaysHowAJobHasEnded) {
  EXPECT_EQ(std::get<Stay>(second_run(ended_by(train::Exit::succeeded), asked(), folder)),
            (Stay{0,
                  "/runs/line: this run has ended: Succeeded (TrainingSucceeded); to train anew, remove "
                  "/runs/line or give another --folder"}));
  EXPECT_EQ(std::get<Stay>(second_run(ended_by(train::Exit::user_error), asked(), folder)),
            (Stay{1,
                  "/runs/line: this run has ended: Failed (UserError): coordinator 0: UserError; to "
                  "train anew, remove /runs/line or give another --folder"}));
}

TEST(SecondRun, NamesCheckpointsThatLieElsewhere) {
  JobSpec spec = asked();
  spec.config.checkpoint.folder = "gs://bucket/line";
  EXPECT_EQ(how_to_train_anew(spec, folder),
            "to train anew, remove /runs/line and gs://bucket/line, or give another --folder and another "
            "spec.checkpoint.folder");
}

}  // namespace
}  // namespace carrack::control
