#include "operator/local/run_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "operator/error.h"
#include "operator/local/run_view.h"
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
  const SavedJob job{some_job(), some_status()};
  {
    RunFolder folder(folder_);
    EXPECT_EQ(folder.load(), std::nullopt);
    folder.save({some_job(), {}});
    folder.save(job);
  }
  EXPECT_EQ(RunFolder(folder_).load(), job);
}

TEST_F(Runs, CanBeReadWhileAProcessHasThem) {
  EXPECT_FALSE(is_run_at_work(folder_));
  const SavedJob job{some_job(), some_status()};
  {
    RunFolder folder(folder_);
    EXPECT_EQ(read_saved_job(folder_), std::nullopt);
    folder.save(job);
    EXPECT_TRUE(is_run_at_work(folder_));
    const JobView view = view_run(folder_, Time{seconds(5)});
    EXPECT_EQ(view.spec, job.spec);
    EXPECT_EQ(view.status, job.status);
    EXPECT_TRUE(view.is_at_work);
  }
  EXPECT_FALSE(is_run_at_work(folder_));
  EXPECT_FALSE(view_run(folder_, Time{}).is_at_work);
  EXPECT_EQ(read_saved_job(folder_), job);
}

TEST_F(Runs, ThatAreNoneAreNamed) {
  EXPECT_EQ(error_of([&] { view_run(folder_, Time{}); }),
            folder_ + ": is not a folder; name that of a `carrack run`, or a job without any '/'");
  const RunFolder folder(folder_);
  EXPECT_EQ(error_of([&] { view_run(folder_, Time{}); }),
            folder_ + ": holds no run; name the --folder of a `carrack run`, by default carrack-runs/NAME");
}

TEST_F(Runs, WhoseFolderCannotBeLookedIntoAreErrors) {
  const std::string path(5000, 'x');
  EXPECT_EQ(error_of([&] { read_saved_job(path); }), path + "/job.json: cannot be read: File name too long");
}

TEST_F(Runs, AreOfOneProcessAtATime) {
  const RunFolder folder(folder_);
  EXPECT_EQ(error_of([&] { RunFolder second(folder_); }),
            folder_ + ": another `carrack run` is at work there; wait until it has ended, or give another --folder");
}

TEST_F(Runs, RefuseAFolderThatOtherUsersCanWriteTo) {
  { const RunFolder folder(folder_); }
  const std::string parent = std::filesystem::path(folder_).parent_path();
  ASSERT_EQ(chmod(parent.c_str(), 0755), 0);
  for (const mode_t mode : {0775, 0757}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(error_of([&] { RunFolder folder(folder_); }),
              folder_ + ": other users can write to it; chmod go-w it, or give another --folder");
  }
  ASSERT_EQ(chmod(parent.c_str(), 0700), 0);
  EXPECT_EQ(error_of([&] { RunFolder folder(folder_); }), "") << "nobody else reaches it";
}

TEST_F(Runs, MakeAFolderThatOnlyItsUserCanWriteToWhateverTheUmask) {
  const mode_t before = umask(0);
  { const RunFolder folder(folder_); }
  umask(before);
  struct stat found {};
  ASSERT_EQ(stat(folder_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0755U);
}

TEST_F(Runs, RefuseTheFolderOfAnotherUser) {
  std::string other = "/";
  if (geteuid() == 0) {
    { const RunFolder folder(folder_); }
    ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
    other = folder_;
  }
  EXPECT_EQ(error_of([&] { RunFolder folder(other); }), other + ": belongs to another user; give another --folder");
}

TEST_F(Runs, FollowNoLinkWhereTheyWrite) {
  const std::string target = std::filesystem::path(folder_).parent_path() / "target";
  RunFolder folder(folder_);
  std::filesystem::create_symlink(target, folder_ + "/job.json.new");
  EXPECT_EQ(error_of([&] {
              folder.save({some_job(), {}});
            }),
            folder_ + "/job.json.new: cannot be written: Too many levels of symbolic links");
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(Runs, AreNotGuessedAtWhereWhatWasKeptIsSomethingElse) {
  RunFolder folder(folder_);
  std::ofstream(folder_ + "/job.json") << "{\"kind\"";
  EXPECT_EQ(
      error_of([&] { folder.load(); }),
      folder_ +
          "/job.json: is not a job that `carrack run` has saved (manifest: is not valid JSON after 8 bytes); remove " +
          folder_ + ", or give another --folder");
}

TEST_F(Runs, AreNotCountedOnFromNumbersThatNoRunReaches) {
  RunFolder folder(folder_);
  SavedJob job{some_job(), some_status()};
  job.status.members.at(worker(1)).incarnation = std::numeric_limits<int>::max();
  folder.save(job);
  EXPECT_EQ(error_of([&] { folder.load(); }),
            folder_ +
                "/job.json: is not a job that `carrack run` has saved (status.members.worker-1.incarnation: is "
                "2147483647); remove " +
                folder_ + ", or give another --folder");
}

TEST_F(Runs, GoOnFromTheLastStartsIfAPowerFailureHasEmptiedTheFile) {
  SavedJob job{some_job(), some_status()};
  RunFolder folder(folder_);
  folder.save({some_job(), {}});
  folder.save(job);
  const SavedJob of_last_starts = job;
  job.status.last_checkpoint = LastCheckpoint{80, "checkpoint-80-0-1-2.manifest"};
  folder.save(job);
  EXPECT_EQ(folder.load(), job);
  std::ofstream(folder_ + "/job.json").close();
  EXPECT_EQ(folder.load(), of_last_starts);
  folder.save(job);
  EXPECT_EQ(folder.load(), job);
}

TEST_F(Runs, SayWhatCannotBeRead) {
  const RunFolder folder(folder_);
  std::filesystem::create_directory(folder_ + "/job.json");
  EXPECT_EQ(error_of([&] { folder.load(); }), folder_ + "/job.json: cannot be read: Is a directory");
}

TEST_F(Runs, SayWhatCannotBeWritten) {
  RunFolder folder(folder_);
  std::filesystem::create_directory(folder_ + "/job.json.new");
  EXPECT_EQ(error_of([&] {
              folder.save({some_job(), {}});
            }),
            folder_ + "/job.json.new: cannot be written: Is a directory");
}

}  // namespace
}  // namespace carrack::control
