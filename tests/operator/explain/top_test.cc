// The text of `carrack top`.
#include "operator/explain/top.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/explain/view_of.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;

Scene training_job(const JobSpec& job = some_job()) {
  Scene scene(job);
  scene.start_all();
  scene.status.progress = Progress{400, 1'000, 0.25, 0.034};
  scene.status.last_checkpoint = LastCheckpoint{4'000, "checkpoint-4000-0-1-7.manifest"};
  return scene;
}

TEST(Top, ShowsTheJobAndItsMembers) {
  Scene scene = training_job();
  scene.current(worker(0)).node = "node-1";
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).message = "no\nroom";
  JobView view = view_of(scene);
  view.steps_per_second = 12.4;
  EXPECT_THAT(top_lines(view, {}), ElementsAre("line trains: step 400 of 1,000 (40%), about 48 s left",
                                               "loss 0.25; 12 steps/s, 397 records/s; waits for data 3%; commit 4,000",
                                               "MEMBER         STATE    NODE    RESTARTS  WHY",  //
                                               "coordinator-0  running  -       0",              //
                                               "ps-0           running  -       0",              //
                                               "worker-0       running  node-1  0",              //
                                               "worker-1       pending  -       0         no room"));
}

TEST(Top, ShowsTheAverageSpeedIfNoneWasMeasured) {
  const Scene scene = training_job();
  EXPECT_EQ(top_lines(view_of(scene, seconds(1'000)), {})[1],
            "loss 0.25; 0.4 steps/s, 13 records/s on average; waits for data 3%; commit 4,000");
}

TEST(Top, SaysThatNothingIsReportedYet) {
  Scene scene;
  EXPECT_EQ(top_lines(view_of(scene), {})[1], "nothing is reported yet");
  EXPECT_EQ(top_lines(view_of(scene), {})[3], "coordinator-0  missing  -     0");
}

TEST(Top, CutsLinesAtTheWidthOfTheTerminal) {
  Scene scene = training_job();
  scene.current(worker(1)).state = ProcessState::pending;
  scene.current(worker(1)).message = "kein Platz für diesen Prozess";
  scene.status.replicas.clear();
  for (const std::string& line : top_lines(view_of(scene), {.columns = 53})) EXPECT_LE(line.size(), 54) << line;
  EXPECT_EQ(top_lines(view_of(scene), {.columns = 53}).back(),
            "worker-1       pending  -     0         kein Platz f\u00fc");
  EXPECT_EQ(top_lines(view_of(scene), {.columns = 12}).back(), "worker-1    ");
}

TEST(Top, ShowsMembersThatDoNotRunFirstIfNotAllFit) {
  Scene scene = training_job(large_job(20));
  scene.current(worker(13)).state = ProcessState::pending;
  const std::vector<std::string> lines = top_lines(view_of(scene), {.lines = 7});
  EXPECT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[3].substr(0, 9), "worker-13");
  EXPECT_EQ(lines[4].substr(0, 13), "coordinator-0");
  EXPECT_EQ(lines[6], "and 19 more");
  EXPECT_EQ(top_lines(view_of(scene), {.lines = 25}).size(), 25U);
}

TEST(Top, ColorsStates) {
  Scene scene = training_job();
  scene.current(worker(0)).state = ProcessState::pending;
  scene.exits(worker(1), train::Exit::platform_error);
  const std::vector<std::string> lines = top_lines(view_of(scene), {.colors = true});
  EXPECT_EQ(lines[4], "ps-0           \033[32mrunning\033[0m  -     0");
  EXPECT_EQ(lines[5], "worker-0       \033[33mpending\033[0m  -     0");
  EXPECT_EQ(lines[6], "worker-1       \033[31mended\033[0m    -     0         exit code 82 (PlatformError)");
}

}  // namespace
}  // namespace carrack::control
