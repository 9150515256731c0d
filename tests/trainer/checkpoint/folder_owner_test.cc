#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/survey.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

using testing::ElementsAre;

class FolderOwner : public testing::Test {
 protected:
  // Commits a cut without tensors.
  void commit(Claim& claim, std::uint64_t step, const std::string& nonce) {
    Manifest manifest;
    manifest.job = claim.head.job;
    manifest.cut = {step, attempt_in_names(claim.head), claim.head.incarnation, 1};
    manifest.shards = 1;
    const CheckpointFolder::SavedShard saved = folder.save(manifest.cut, 0, 1, [](ShardWriter&) {});
    manifest.files = {saved.file};
    const auto bundle = std::get<Bundle>(merge(std::span(&saved.report, 1)));
    ASSERT_TRUE(folder.commit(claim, manifest, bundle, nonce));
  }

  Claim claimed(const std::string& job, std::uint64_t attempt, std::uint64_t incarnation, const std::string& nonce) {
    return std::get<Claim>(folder.claim(job, attempt, incarnation, nonce));
  }

  std::optional<Claim> taken_by(const std::string& job, Inheritance inheritance) {
    return folder.take_over(*folder.present_claim(), {job, 0, 1, job + "-nonce"}, inheritance, {});
  }

  std::vector<std::string> manifests() { return survey(storage, url).manifests; }

  const data::TemporaryFolder temporary;
  data::FileStorage storage{7};
  const std::string url = temporary.path();
  CheckpointFolder folder{storage, url};
};

TEST_F(FolderOwner, GoesOnFromTheLastCommitUnderNamesOfItsOwn) {
  Claim first = claimed("first", 2, 5, "a");
  commit(first, 20, "b");
  std::optional<Claim> second = taken_by("second", Inheritance::go_on);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->head.committed, first.head.committed);
  EXPECT_EQ(attempt_in_names(second->head), 3U);
  commit(*second, 20, "c");
  EXPECT_EQ(second->head.committed->manifest, "checkpoint-20-3-1-1.manifest");
  EXPECT_THAT(manifests(), ElementsAre("checkpoint-20-2-5-1.manifest", "checkpoint-20-3-1-1.manifest"));
  const Claim restarted = claimed("second", 1, 1, "d");
  EXPECT_EQ(restarted.head.taken_over, second->head.taken_over);
  EXPECT_EQ(attempt_in_names(restarted.head), 4U);
}

TEST_F(FolderOwner, LeavesTheJobBeforeNothing) {
  Claim first = claimed("first", 0, 1, "a");
  ASSERT_TRUE(taken_by("second", Inheritance::go_on));
  EXPECT_FALSE(folder.holds(first));
  EXPECT_FALSE(folder.answer_request(first, "b") && folder.holds(first));
  EXPECT_EQ(std::get<Taken>(folder.claim("first", 9, 9, "c")).job, "second");
  EXPECT_TRUE(has_lost_folder(*folder.head(), "first"));
  EXPECT_FALSE(has_lost_folder(*folder.head(), "second"));
  EXPECT_FALSE(has_lost_folder(*folder.head(), "third"));
  EXPECT_THROW(taken_by("first", Inheritance::go_on), train::Error);
}

TEST_F(FolderOwner, IsNotTakenOverFromAHeadThatHasChanged) {
  claimed("first", 0, 1, "a");
  const Claim found = *folder.present_claim();
  claimed("first", 0, 2, "b");
  EXPECT_EQ(folder.take_over(found, {"second", 0, 1, "c"}, Inheritance::go_on, {}), std::nullopt);
  EXPECT_EQ(folder.head()->job, "first");
}

TEST_F(FolderOwner, ReplacesWhatReadersFindOnlyOnceItHasCommitted) {
  Claim first = claimed("first", 0, 1, "a");
  commit(first, 500, "b");
  std::optional<Claim> second = taken_by("second", Inheritance::replace);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->head.committed, std::nullopt);
  EXPECT_EQ(manifest_of({url, std::nullopt}, folder).cut.step, 500U);
  const Claim restarted = claimed("second", 0, 2, "c");
  EXPECT_EQ(restarted.head.taken_over->kept, first.head.committed);
  Claim last = restarted;
  commit(last, 10, "d");
  EXPECT_EQ(manifest_of({url, std::nullopt}, folder).cut.step, 10U);
  EXPECT_EQ(folder.head()->taken_over->kept, std::nullopt);
  Retention retention{.last = 9, .every_steps = 1, .replaced_attempts = last.head.taken_over->replaced_attempts};
  folder.remove_unneeded(last.head.committed->manifest, retention, [] { return true; });
  EXPECT_THAT(manifests(), ElementsAre("checkpoint-10-1-2-1.manifest")) << "also what was behind this step";
}

TEST_F(FolderOwner, RemovesTheBestCheckpointOnlyOfAJobThatWasReplaced) {
  Claim first = claimed("first", 0, 1, "a");
  commit(first, 500, "b");
  folder.write_best({*first.head.committed, 0.5});
  Claim second = *taken_by("second", Inheritance::go_on);
  folder.remove_replaced_best(second.head);
  EXPECT_TRUE(folder.best());
  Claim third = *taken_by("third", Inheritance::replace);
  folder.remove_replaced_best(third.head);
  EXPECT_FALSE(folder.best());
  commit(third, 10, "c");
  folder.write_best({*third.head.committed, 0.5});
  folder.remove_replaced_best(third.head);
  EXPECT_TRUE(folder.best());
}

// A commit is complete once HEAD names it, so what is wrong with BEST must not fail it.
TEST_F(FolderOwner, LeavesADamagedBestCheckpoint) {
  Claim first = claimed("first", 0, 1, "a");
  commit(first, 500, "b");
  const Claim second = *taken_by("second", Inheritance::replace);
  for (const std::size_t bytes : {100U, 5000U}) {
    const auto object = storage.create(url + "/BEST", {});
    object->write(data::Bytes(bytes));
    object->commit();
    EXPECT_NO_THROW(folder.remove_replaced_best(second.head)) << bytes;
    EXPECT_THROW(folder.best(), train::Error) << bytes;
  }
}

TEST_F(FolderOwner, AnswersEachRequestOnce) {
  Claim claim = claimed("first", 0, 1, "a");
  ASSERT_TRUE(folder.answer_request(claim, "b"));
  EXPECT_EQ(folder.head()->nonce, "a") << "nobody asked";
  for (const std::string nonce : {"c", "d"}) {
    folder.request_answer("second", nonce);
    ASSERT_TRUE(folder.answer_request(claim, nonce));
    ASSERT_TRUE(folder.answer_request(claim, "again"));
    EXPECT_EQ(folder.head()->nonce, nonce);
    EXPECT_TRUE(folder.holds(claim));
  }
  folder.withdraw_request();
  EXPECT_FALSE(storage.stat(url + "/TAKEOVER"));
}

TEST_F(FolderOwner, IsAnsweredOnlyByWhoHasTheClaim) {
  Claim replaced = claimed("first", 0, 1, "a");
  claimed("first", 0, 2, "b");
  folder.request_answer("second", "c");
  EXPECT_FALSE(folder.answer_request(replaced, "d"));
  EXPECT_EQ(folder.head()->nonce, "b");
}

TEST_F(FolderOwner, RemembersTheLastOwners) {
  claimed("0", 0, 1, "a");
  for (int job = 1; job <= 102; ++job) ASSERT_TRUE(taken_by(std::to_string(job), Inheritance::go_on));
  const Head head = *folder.head();
  EXPECT_EQ(head.taken_over->owners.size(), earlier_owners_max);
  EXPECT_FALSE(has_lost_folder(head, "1"));
  EXPECT_TRUE(has_lost_folder(head, "2"));
  EXPECT_EQ(attempt_in_names(head), 102U);
}

}  // namespace
}  // namespace carrack::checkpoint
