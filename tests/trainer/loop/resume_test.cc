#include "trainer/loop/storage/resume.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <span>

#include "dataloader/crc32c.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class Resume : public testing::Test {
 protected:
  std::map<std::string, std::string> files_of(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }

  std::string refusal(const Launch& launch, const FoundData& data = some_data) const {
    try {
      claimed(launch, storages, data);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  // Changes the last checkpoint of the folder to what a release with a later version of the config writes.
  void raise_version_of_config(const std::string& folder) const {
    data::Storage& storage = storages.for_url(folder);
    checkpoint::Claim claim = checkpoint::CheckpointFolder(storage, folder).present_claim().value();
    const std::string path = folder + "/" + claim.head.committed->manifest;
    std::string manifest = files_of(folder).at(path);
    manifest.resize(manifest.rfind("crc32c "));
    const std::string version = "config carrack-launch ";
    manifest.insert(manifest.find(version) + version.size(), "9");
    manifest = checkpoint::seal(std::move(manifest));
    std::ofstream(path, std::ios::binary) << manifest;
    claim.head.committed->crc32c = data::crc32c(std::as_bytes(std::span(manifest)));
    const std::string head = checkpoint::encode_head(claim.head);
    ASSERT_TRUE(storage.replace_if(folder + "/HEAD", claim.version, std::as_bytes(std::span(head))));
  }

  const data::TemporaryFolder temporary;
  const data::Storages storages{{}};
  const std::string there = temporary.path() + "/there";
  Launch first = some_launch("first", there);
  Launch second = [this] {
    Launch launch = some_launch("second", temporary.path() + "/here");
    launch.config.checkpoint.resume = there;
    return launch;
  }();
};

TEST_F(Resume, BeginsWithAllThatTheOtherJobHadWhateverTheNumberOfServers) {
  leave_checkpoint(first, storages, 25);
  for (const int servers : {1, 2, 3}) {
    second.job_uid = "second-" + std::to_string(servers);
    second.config.checkpoint.folder = temporary.path() + "/" + second.job_uid;
    second.config.ps = {servers, servers};
    const Commit commit = claimed(second, storages);
    EXPECT_TRUE(commit.resumed);
    EXPECT_EQ(commit.manifest, "checkpoint-25-0-1-1.manifest");
    const Loaded all = loaded(second, storages, commit);
    EXPECT_EQ(all.version, 25u);
    EXPECT_EQ(all.tensors, tensors_at(setup_from(second.config), 25)) << servers << " servers";
  }
}

TEST_F(Resume, LeavesTheOtherFolderAsItIs) {
  leave_checkpoint(first, storages, 25);
  const auto before = files_of(there);
  loaded(second, storages, claimed(second, storages));
  second.fence.incarnation = 2;
  leave_checkpoint(second, storages, 30);
  EXPECT_EQ(files_of(there), before);
}

TEST_F(Resume, GoesOnFromTheSameCommitThoughTheOtherJobTrainsOnUntilItHasOneOfItsOwn) {
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(claimed(second, storages).version, 25u);
  first.fence.incarnation = 2;
  leave_checkpoint(first, storages, 200);
  second.fence.incarnation = 2;
  const Commit same = claimed(second, storages);
  EXPECT_TRUE(same.resumed);
  EXPECT_EQ(same.version, 25u);
  EXPECT_EQ(loaded(second, storages, same).tensors, tensors_at(setup_from(second.config), 25));
  second.fence.incarnation = 3;
  leave_checkpoint(second, storages, 35);
  std::filesystem::remove_all(there);
  second.fence.incarnation = 4;
  const Commit own = claimed(second, storages);
  EXPECT_FALSE(own.resumed);
  EXPECT_EQ(own.version, 35u);
  EXPECT_EQ(loaded(second, storages, own).tensors, tensors_at(setup_from(second.config), 35));
}

TEST_F(Resume, IsLeftOutIfTheManifestNamesNoFolderAnyMoreBeforeTheFirstCommit) {
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(claimed(second, storages).version, 25u);
  second.config.checkpoint.resume.clear();
  for (const int incarnation : {2, 3}) {
    second.fence.incarnation = incarnation;
    EXPECT_EQ(claimed(second, storages), Commit{});
  }
}

TEST_F(Resume, IsRefusedIfTheManifestNamesAnotherFolderThanAtTheFirstStart) {
  leave_checkpoint(first, storages, 25);
  claimed(second, storages);
  second.config.checkpoint.resume = temporary.path() + "/elsewhere";
  leave_checkpoint(some_launch("third", second.config.checkpoint.resume), storages, 45);
  second.fence.incarnation = 2;
  const std::string text = refusal(second);
  EXPECT_TRUE(text.starts_with(second.config.checkpoint.resume + "/checkpoint-25-0-1-1.manifest: ")) << text;
  EXPECT_TRUE(
      text.ends_with("\nspec.checkpoint.resume: if this field named another folder when the job first started, name "
                     "that one until the job has committed, or begin another job"))
      << text;
}

TEST_F(Resume, CarriesTheAppliedBatchesOver) {
  first.config.training.consistency = second.config.training.consistency = Consistency::async;
  leave_checkpoint(first, storages, 25, {{0, 25}});
  const Commit commit = claimed(second, storages);
  EXPECT_EQ(commit.applied, (std::vector<BatchRun>{{0, 25}}));
  EXPECT_EQ(loaded(second, storages, commit).applied, commit.applied);
}

TEST_F(Resume, NamesTheBatchesWhereTheOtherJobOnlyCountedThem) {
  second.config.training.consistency = Consistency::async;
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(claimed(second, storages).applied, (std::vector<BatchRun>{{0, 25}}));
}

TEST_F(Resume, NeedsNoStateThatTheOptimizerDoesNotKeep) {
  leave_checkpoint(first, storages, 25);
  second.config.training.optimizer = Sgd{};
  EXPECT_EQ(loaded(second, storages, claimed(second, storages)).tensors, tensors_at(setup_from(second.config), 25));
}

TEST_F(Resume, IsRefusedWhereNothingIsCommitted) {
  EXPECT_EQ(refusal(second),
            "spec.checkpoint.resume: " + there + " does not exist; name the checkpoint folder of a job");
  std::filesystem::create_directory(there);
  EXPECT_EQ(refusal(second),
            "spec.checkpoint.resume: " + there + " holds no HEAD; name the checkpoint folder of a job");
  claimed(first, storages);
  EXPECT_EQ(refusal(second),
            "spec.checkpoint.resume: " + there + " holds no checkpoint yet; wait until its job has committed one");
}

TEST_F(Resume, IsRefusedWithAllThatTheCheckpointContradicts) {
  leave_checkpoint(first, storages, 25);
  second.config.training.seed = 4;
  second.config.training.batch = 32;
  second.config.data.features[0].size = 5001;
  const std::string field = "spec.checkpoint.resume: " + there + " ";
  EXPECT_EQ(refusal(second),
            field + "was trained with seed 3; set spec.training.seed: 3\n" + field +
                "is at record 320 of epoch 2 after 25 steps; with spec.training.batch: 32 and 10 batches in "
                "spec.data.train this job would be at record 160 of epoch 2; give it the data and the batch "
                "that it was trained with\n" +
                field +
                "holds tensor w as float32 [5000]; this job has w as float32 [5001]: give it the spec.model that it "
                "was trained with");
}

TEST_F(Resume, IsRefusedWhereTheDataIsOther) {
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(
      refusal(second, {batches_in_epoch, {"carrack-order v2 files=3", "other data"}, nullptr}),
      "spec.checkpoint.resume: " + there +
          " was trained on files 2; spec.data.train has files 3; give it the files and stages that it was trained "
          "on");
}

TEST_F(Resume, IsRefusedWhereNumbersStandForOtherStrings) {
  Feature city{"city", FeatureType::text};
  city.words = {"Rome", "Bern"};
  first.config.data.features.push_back(city);
  leave_checkpoint(first, storages, 25);
  second.config.data.features.push_back(city);
  EXPECT_EQ(refusal(second), "none");
  second.config.data.features.back().words = {"Bern", "Rome"};
  second.job_uid = "third";
  second.config.checkpoint.folder += "-third";
  EXPECT_EQ(refusal(second), "spec.checkpoint.resume: " + there +
                                 " was trained with other words or buckets of spec.data.features.city, so its numbers "
                                 "stand for other strings; give it those");
}

TEST_F(Resume, IsRefusedWhereALaterReleaseHasDescribedTheModel) {
  leave_checkpoint(first, storages, 25);
  raise_version_of_config(there);
  EXPECT_EQ(refusal(second), "spec.checkpoint.resume: " + there +
                                 " describes its model in a way that this release does not read; use the release that "
                                 "trained it, or a later one");
}

TEST_F(Resume, IsRefusedInSyncWhereBatchesAreLeftOut) {
  first.config.training.consistency = Consistency::async;
  leave_checkpoint(first, storages, 25, {{0, 24}, {26, 27}});
  EXPECT_EQ(refusal(second), "spec.checkpoint.resume: " + there +
                                 " was suspended in the middle of an Async job, with batches left out; set "
                                 "spec.training.consistency: Async");
  second.config.training.consistency = Consistency::async;
  EXPECT_EQ(claimed(second, storages).applied, (std::vector<BatchRun>{{0, 24}, {26, 27}}));
}

TEST_F(Resume, IsRefusedWhereTheStateOfTheOptimizerIsMissing) {
  first.config.training.optimizer = Sgd{};
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(refusal(second), "spec.checkpoint.resume: " + there +
                                 " holds no tensor w/Adam/m; this job has w/Adam/m as float32 [5000]: give it the "
                                 "spec.training.optimizer that it was trained with");
}

TEST_F(Resume, IsRefusedWhereNoStepIsLeft) {
  leave_checkpoint(first, storages, 200);
  EXPECT_EQ(refusal(second), "spec.checkpoint.resume: " + there +
                                 " holds step 200, and with spec.training.epochs: 20 this job ends at step 200; set "
                                 "more epochs");
}

TEST_F(Resume, LeavesItsOwnFolderToOthersWhereItIsRefused) {
  leave_checkpoint(first, storages, 25);
  second.config.training.seed = 4;
  EXPECT_NE(refusal(second), "none");
  second.job_uid = "mended";
  second.config.training.seed = 3;
  EXPECT_EQ(claimed(second, storages).version, 25u);
}

}  // namespace
}  // namespace carrack::train
