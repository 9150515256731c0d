#include "operator/local/run_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "operator/error.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

class Runs : public testing::Test {
 protected:
  Runs() {
    char path[] = "/tmp/carrack-runs-XXXXXX";
    folder_ = std::string(mkdtemp(path)) + "/line";
  }
  ~Runs() override { std::filesystem::remove_all(std::filesystem::path(folder_).parent_path()); }

  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::string folder_;
};

JobStatus some_status() {
  Scene scene;
  scene.start_all();
  scene.status.last_checkpoint = LastCheckpoint{40, "checkpoint-40-0-1-1.manifest"};
  return scene.status;
}

TEST_F(Runs, KeepTheJobForTheNextProcess) {
  const KeptJob job{some_job(), some_status()};
  {
    RunFolder folder(folder_);
    EXPECT_EQ(folder.kept(), std::nullopt);
    folder.keep({some_job(), {}});
    folder.keep(job);
  }
  EXPECT_EQ(RunFolder(folder_).kept(), job);
}

TEST_F(Runs, AreOfOneProcessAtATime) {
  const RunFolder folder(folder_);
  EXPECT_EQ(error_of([&] { RunFolder second(folder_); }),
            folder_ + ": another `carrack run` is at work there; wait until it has ended, or give another --folder");
}

TEST_F(Runs, AreNotGuessedAtWhereWhatWasKeptIsSomethingElse) {
  RunFolder folder(folder_);
  std::ofstream(folder_ + "/job.json") << "{\"kind\"";
  EXPECT_EQ(error_of([&] { folder.kept(); }),
            folder_ + "/job.json: is not what `carrack run` keeps there (manifest: is not valid JSON after 8 bytes); remove " +
                folder_ + ", or give another --folder");
}

TEST_F(Runs, AreNotCountedOnFromNumbersThatNoRunReaches) {
  RunFolder folder(folder_);
  KeptJob job{some_job(), some_status()};
  job.status.members.at(worker(1)).incarnation = std::numeric_limits<int>::max();
  folder.keep(job);
  EXPECT_EQ(error_of([&] { folder.kept(); }),
            folder_ +
                "/job.json: is not what `carrack run` keeps there (status.members.worker-1.incarnation: is "
                "2147483647); remove " +
                folder_ + ", or give another --folder");
}

TEST_F(Runs, SayWhatCannotBeRead) {
  const RunFolder folder(folder_);
  std::filesystem::create_directory(folder_ + "/job.json");
  EXPECT_EQ(error_of([&] { folder.kept(); }), folder_ + "/job.json: cannot be read: Is a directory");
}

TEST_F(Runs, SayWhatCannotBeWritten) {
  RunFolder folder(folder_);
  std::filesystem::create_directory(folder_ + "/job.json.new");
  EXPECT_EQ(error_of([&] {
              folder.keep({some_job(), {}});
            }),
            folder_ + "/job.json.new: cannot be written: Is a directory");
}

}  // namespace
}  // namespace carrack::control
