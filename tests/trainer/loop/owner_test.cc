#include "trainer/loop/storage/owner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

using std::chrono::milliseconds;

class TakenFolder : public testing::Test {
 protected:
  Launch other(const std::string& uid, OnTaken on_taken) const {
    Launch launch = some_launch(uid, folder);
    launch.config.checkpoint.on_taken = on_taken;
    return launch;
  }

  // The message of FolderTaken if `is_taken` is true, else of another error of the user.
  std::string refusal(const Launch& launch, bool is_taken, const FoundData& data = some_data) const {
    try {
      claimed(launch, storages, data);
    } catch (const FolderTaken& error) {
      return is_taken ? error.what() : "FolderTaken";
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return is_taken ? "no FolderTaken" : error.what();
    }
    return "none";
  }

  std::string owner() const { return checkpoint::CheckpointFolder(storages.for_url(folder), folder).head()->job; }

  const data::TemporaryFolder temporary;
  const data::Storages storages{{}};
  const std::string folder = temporary.path() + "/out";
  const Launch first = other("first", OnTaken::fail);
};

TEST_F(TakenFolder, IsLeftToTheOtherJobByDefault) {
  leave_checkpoint(first, storages, 25);
  EXPECT_EQ(refusal(other("second", OnTaken::fail), true),
            "spec.checkpoint.folder: " + folder +
                " belongs to another job, with UID first, which trains there or has ended; set "
                "spec.checkpoint.onTaken: GoOn to go on from what it has trained, or Replace to begin again in its "
                "place, or give this job a folder of its own, for example with $(UID) in its name");
  EXPECT_EQ(owner(), "first");
}

TEST_F(TakenFolder, IsGoneOnInFromItsLastCommitByEachStart) {
  leave_checkpoint(first, storages, 25);
  Launch second = other("second", OnTaken::go_on);
  for (int incarnation = 1; incarnation <= 2; ++incarnation) {
    second.fence.incarnation = incarnation;
    const Commit commit = claimed(second, storages);
    EXPECT_EQ(commit.version, 25U);
    EXPECT_FALSE(commit.resumed);
    EXPECT_EQ(loaded(second, storages, commit).tensors, tensors_at(setup_from(second.config), 25));
  }
  second.fence.incarnation = 3;
  leave_checkpoint(second, storages, 35);
  second.fence.incarnation = 4;
  EXPECT_EQ(claimed(second, storages).version, 35U);
}

TEST_F(TakenFolder, IsGoneOnInAtTheEndOfTheOtherJobToo) {
  leave_checkpoint(first, storages, 200);
  EXPECT_EQ(claimed(other("second", OnTaken::go_on), storages).version, 200U);
}

TEST_F(TakenFolder, IsBegunAnewIfTheOtherJobHasCommittedNothing) {
  claimed(first, storages);
  for (const OnTaken on_taken : {OnTaken::go_on, OnTaken::replace}) {
    EXPECT_EQ(
        claimed(other(std::string("job-") + (on_taken == OnTaken::go_on ? "a" : "b"), on_taken), storages).manifest,
        "");
  }
}

TEST_F(TakenFolder, StaysTheOtherJobsIfItsCheckpointDoesNotFit) {
  leave_checkpoint(first, storages, 25);
  Launch second = other("second", OnTaken::go_on);
  second.config.training.seed = 4;
  EXPECT_EQ(refusal(second, false),
            "spec.checkpoint.onTaken: " + folder + " was trained with seed 3; set spec.training.seed: 3");
  second.config.training.seed = 3;
  second.config.training.epochs = 2;
  EXPECT_EQ(refusal(second, false), "spec.checkpoint.onTaken: " + folder +
                                        " holds step 25, and with spec.training.epochs: 2 this job ends at step 20; "
                                        "set more epochs");
  EXPECT_EQ(owner(), "first");
}

TEST_F(TakenFolder, IsReplacedFromTheBeginWhateverWasTrainedThere) {
  leave_checkpoint(first, storages, 25);
  Launch second = other("second", OnTaken::replace);
  second.config.training.seed = 4;
  EXPECT_EQ(claimed(second, storages).manifest, "");
  second.fence.incarnation = 2;
  EXPECT_EQ(claimed(second, storages).manifest, "") << "until it has committed";
  second.fence.incarnation = 3;
  leave_checkpoint(second, storages, 25);  // The files of the other job have other names.
  second.fence.incarnation = 4;
  EXPECT_EQ(claimed(second, storages).manifest, "checkpoint-25-1-3-1.manifest");
}

TEST_F(TakenFolder, MayBeginWithAThirdJobsCheckpoint) {
  Launch third = some_launch("third", temporary.path() + "/third");
  leave_checkpoint(third, storages, 45);
  leave_checkpoint(first, storages, 25);
  Launch second = other("second", OnTaken::go_on);
  second.config.checkpoint.resume = third.config.checkpoint.folder;
  EXPECT_EQ(claimed(second, storages).version, 25U) << "this folder has a commit";
  Launch fourth = other("fourth", OnTaken::replace);
  fourth.config.checkpoint.resume = third.config.checkpoint.folder;
  for (const int incarnation : {1, 2}) {
    fourth.fence.incarnation = incarnation;
    const Commit commit = claimed(fourth, storages);
    EXPECT_TRUE(commit.resumed);
    EXPECT_EQ(commit.version, 45U);
  }
}

TEST_F(TakenFolder, CarriesTheBatchesOfASyncJobIntoAnAsyncOne) {
  leave_checkpoint(first, storages, 25);
  Launch second = other("second", OnTaken::go_on);
  second.config.training.consistency = Consistency::async;
  for (const int incarnation : {1, 2}) {
    second.fence.incarnation = incarnation;
    EXPECT_EQ(claimed(second, storages).applied, (std::vector<BatchRun>{{0, 25}}));
  }
}

TEST_F(TakenFolder, IsNotTakenBackByAJobThatLostIt) {
  Launch second = other("second", OnTaken::go_on);
  leave_checkpoint(second, storages, 25);
  claimed(other("third", OnTaken::go_on), storages);
  EXPECT_FALSE(still_claims(second, storages));
  second.fence.incarnation = 2;
  EXPECT_EQ(refusal(second, true),
            "spec.checkpoint.folder: " + folder +
                " was taken over by another job, with UID third, whose spec.checkpoint.onTaken says so; give one of "
                "the two a folder of its own");
  EXPECT_EQ(owner(), "third");
}

TEST_F(TakenFolder, IsLeftToAJobThatAnswersUntilItEnds) {
  leave_checkpoint(first, storages, 25);
  Launch running = first;
  running.fence.incarnation = 2;
  const train::Setup setup = setup_from(running.config);
  CommitStore store(running, setup, storages, "running");
  ASSERT_EQ(store.claim(some_data), std::nullopt);
  std::atomic<bool> ends = false;
  std::thread coordinator([&] {
    while (!ends) {
      EXPECT_TRUE(store.still_claimed());
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  const Launch second = other("second", OnTaken::replace);
  EXPECT_EQ(refusal(second, true), "spec.checkpoint.folder: " + folder +
                                       " belongs to another job, with UID first, which still trains there; delete or "
                                       "suspend it, and then begin this job again");
  EXPECT_TRUE(store.still_claimed());
  std::thread end([&] {
    std::this_thread::sleep_for(milliseconds(300));
    ends = true;
  });
  CommitStore of_second(second, setup, storages, "second");
  EXPECT_EQ(of_second.claim(some_data, {.answer_within = milliseconds(200), .at_most = std::chrono::minutes(1)}),
            std::nullopt);
  EXPECT_TRUE(ends);
  end.join();
  coordinator.join();
  EXPECT_FALSE(store.still_claimed()) << "it may not be dead at all, but it has lost";
}

TEST_F(TakenFolder, EndsTheWaitWhereTheProcessIsToEnd) {
  leave_checkpoint(first, storages, 25);
  const Launch second = other("second", OnTaken::go_on);
  const train::Setup setup = setup_from(second.config);
  CommitStore store(second, setup, storages, "nonce");
  std::string log;
  int begun = 0;
  const TakeOverWait wait{.cancelled = [] { return true; },
                          .log = [&](const std::string& line) { log += line; },
                          .begins = [&] { ++begun; }};
  EXPECT_EQ(store.claim(some_data, wait), Exit::drained);
  EXPECT_EQ(owner(), "first");
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(log, folder + " is claimed by another job, with UID first; waiting whether its coordinator answers");
}

}  // namespace
}  // namespace carrack::train
