#include "trainer/loop/setup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class FoundRecords : public testing::Test {
 protected:
  FoundRecords() {
    data::Bytes file;
    data::frame::append(file, {});
    std::ofstream(here.path() + "/a.tfrecord", std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  }

  std::string refusal(const std::string& pattern) {
    launch.config.data.files = {pattern};
    try {
      batches_of(launch, setup_from(launch.config), some_surroundings(storages));
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  std::string own(const std::string& pattern, const std::string& name) const {
    return "spec.data.train.files: " + pattern + " matches " + name +
           ", which the job itself writes to spec.checkpoint.folder; give it a folder apart, or say more of the files' "
           "names";
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", here.path());
};

TEST_F(FoundRecords, MayLieBesideCheckpoints) {
  EXPECT_EQ(refusal(here.path() + "/*.tfrecord"), "none");
  launch.config.checkpoint.folder = here.path() + "/checkpoints";
  EXPECT_EQ(refusal(here.path() + "/*"), "none");
}

TEST_F(FoundRecords, AreNoCheckpointsHoweverTheirFolderIsSpelled) {
  EXPECT_EQ(refusal(here.path() + "/*"), own(here.path() + "/*", "HEAD"));
  EXPECT_EQ(refusal("file://" + here.path() + "/./c*-00001"),
            own("file://" + here.path() + "/./c*-00001", "checkpoint-1-0-1-1.data-00000-of-00001"));
  launch.config.checkpoint.folder = "file://" + here.path() + "/checkpoints/";
  EXPECT_EQ(refusal(here.path() + "/**.manifest"), own(here.path() + "/**.manifest", "checkpoint-1-0-1-1.manifest"));
}

TEST_F(FoundRecords, AreSome) {
  EXPECT_EQ(refusal(here.path() + "/b*"), "spec.data.train.files: no object matches " + here.path() + "/b*");
  std::ofstream(here.path() + "/empty");
  EXPECT_EQ(refusal(here.path() + "/e*"), "spec.data.train.files: the files hold no record");
}

}  // namespace
}  // namespace carrack::train
