#include "trainer/checkpoint/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "dataloader/storage/memory_storage.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/manifest.h"

namespace carrack::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

using Names = std::vector<std::string>;

Cut cut_at(std::uint64_t step, std::uint64_t incarnation = 1, std::uint64_t attempt = 0) {
  return {.step = step, .attempt = attempt, .incarnation = incarnation, .number = step / 10 + 1};
}

Names shards_of(const Cut& cut) {
  return {shard_name(prefix_of(cut), 0, 2), shard_name(prefix_of(cut), 1, 2)};
}

// In the order in which they are written.
Names files_of(const Cut& cut) {
  Names files = shards_of(cut);
  files.push_back(index_name(prefix_of(cut)));
  files.push_back(manifest_name(cut));
  return files;
}

template <class... Lists>
Names all(const Lists&... lists) {
  Names together;
  (together.insert(together.end(), lists.begin(), lists.end()), ...);
  return together;
}

Names all_of(const std::vector<Cut>& cuts) {
  Names together;
  for (const Cut& cut : cuts) together = all(together, files_of(cut));
  return together;
}

std::vector<Cut> cuts_at(const std::vector<std::uint64_t>& steps) {
  std::vector<Cut> cuts;
  for (const std::uint64_t step : steps) cuts.push_back(cut_at(step));
  return cuts;
}

// The steps whose manifests stay once all of these are committed.
std::set<std::uint64_t> staying(const std::vector<std::uint64_t>& steps, const Retention& retention) {
  const Names unneeded = unneeded_files(all_of(cuts_at(steps)), manifest_name(cut_at(steps.back())), retention);
  std::set<std::uint64_t> stay;
  for (const std::uint64_t step : steps) {
    const Names files = files_of(cut_at(step));
    const auto removed = std::count_if(files.begin(), files.end(), [&](const std::string& file) {
      return std::find(unneeded.begin(), unneeded.end(), file) != unneeded.end();
    });
    EXPECT_TRUE(removed == 0 || removed == 4) << "a part of step " << step;
    if (removed == 0) stay.insert(step);
  }
  return stay;
}

TEST(Retention, NeedsTheLastCommits) {
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 1}), ElementsAre(40));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 3}), ElementsAre(20, 30, 40));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 4}), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = ~std::uint64_t{0}}), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(staying({9, 10, 100}, {.last = 2}), ElementsAre(10, 100)) << "by number, not by text";
}

TEST(Retention, NeedsTheFirstCommitAtOrBehindEachMultiple) {
  EXPECT_THAT(staying({10, 20, 30, 40, 50, 60, 70}, {.last = 1, .every_steps = 20}), ElementsAre(20, 40, 60, 70));
  EXPECT_THAT(staying({10, 20, 30, 40, 50, 60, 70}, {.last = 2, .every_steps = 25}), ElementsAre(30, 50, 60, 70));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 1, .every_steps = 1}), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 1, .every_steps = 1'000}), ElementsAre(40));
  EXPECT_THAT(staying({10, 90, 95, 99}, {.last = 1, .every_steps = 20}), ElementsAre(90, 99)) << "behind 20 to 80";
  EXPECT_THAT(staying({7, 1'003, 1'009, 1'010}, {.last = 1, .every_steps = 1'000}), ElementsAre(1'003, 1'010));
}

TEST(Retention, NeedsThoseThatItIsGivenByName) {
  const auto name = [](std::uint64_t step) { return manifest_name(cut_at(step)); };
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 1, .others = {name(20)}}), ElementsAre(20, 40));
  EXPECT_THAT(staying({10, 20, 30, 40}, {.last = 1, .others = {name(10), name(40)}}), ElementsAre(10, 40));
  EXPECT_THAT(staying({10, 20}, {.last = 1, .others = {name(15), "no manifest", ""}}), ElementsAre(20)) << "not there";
}

TEST(Retention, RemovesManifestsFirst) {
  const Cut first = cut_at(10), second = cut_at(20), last = cut_at(30);
  const Names unneeded = unneeded_files(all_of({first, second, last}), manifest_name(last), {.last = 1});
  EXPECT_THAT(unneeded, UnorderedElementsAreArray(all_of({first, second})));
  ASSERT_EQ(unneeded.size(), 8U);
  EXPECT_EQ(unneeded[0], manifest_name(first));
  EXPECT_EQ(unneeded[1], manifest_name(second));
}

TEST(Retention, DoesNotTouchWhatIsBehindTheLastCommit) {
  const Cut committed = cut_at(10), saving = cut_at(20), not_yet_committed = cut_at(30);
  const Names names = all(files_of(committed), shards_of(saving), files_of(not_yet_committed));
  EXPECT_THAT(unneeded_files(names, manifest_name(committed), {.last = 1}), IsEmpty());
}

TEST(Retention, RemovesWhatEndedCutsLeft) {
  const Cut without_manifest = cut_at(10), without_shard = cut_at(20), last = cut_at(40, 2);
  Names halves = all(shards_of(without_manifest), files_of(without_shard));
  halves.erase(std::find(halves.begin(), halves.end(), shards_of(without_shard)[1]));
  halves.push_back(index_name(prefix_of(cut_at(30))));
  halves.push_back(shard_name(prefix_of(cut_at(40)), 0, 2));
  EXPECT_THAT(unneeded_files(all(halves, files_of(last)), manifest_name(last), {.last = 9}),
              UnorderedElementsAreArray(halves));
}

// Such checkpoints are whole, but they are none of the last commits.
TEST(Retention, RemovesWhatACoordinatorHadNotCommittedWhenItDied) {
  const Cut before = cut_at(20), at = cut_at(30), behind = cut_at(40);
  const Cut next = cut_at(30, 2), last = cut_at(50, 2);
  const Names names = all_of({before, at, behind, next, last});
  EXPECT_THAT(unneeded_files(names, manifest_name(last), {.last = 3}), UnorderedElementsAreArray(all_of({at, behind})));
  EXPECT_THAT(unneeded_files(names, manifest_name(last), {.last = 1, .every_steps = 30}),
              UnorderedElementsAreArray(all_of({before, at, behind})));
}

TEST(Retention, SeesThatFromAnyFileOfTheNextCoordinator) {
  const Cut commit = cut_at(20), left = cut_at(40), last = cut_at(60, 0, 1);
  const Names half{shard_name(prefix_of(cut_at(30, 2)), 0, 2)};
  EXPECT_THAT(unneeded_files(all(all_of({commit, left, last}), half), manifest_name(last), {.last = 2}),
              UnorderedElementsAreArray(all(files_of(left), half)));
}

// One that was stopped and replaced does not know what the next one has committed.
TEST(Retention, LeavesTheFilesOfALaterCoordinatorAlone) {
  const Cut ours = cut_at(30, 2), later = cut_at(30, 3), next_attempt = cut_at(20, 1, 1);
  EXPECT_THAT(unneeded_files(all_of({ours, later, next_attempt}), manifest_name(ours), {.last = 1}), IsEmpty());
}

TEST(Retention, LeavesAllOtherFilesAlone) {
  const Cut last = cut_at(40);
  const Names others{"HEAD.7",
                     "HEAD",
                     "checkpoint",
                     "checkpoint-",
                     "checkpoint-10",
                     "checkpoint-10.index",
                     "checkpoint-10-0-1.manifest",
                     "checkpoint-10-0-1-2",
                     "checkpoint-10-0-1-2-3.manifest",
                     "checkpoint-10-0-1-2.manifest.bak",
                     "checkpoint-10-0-1-2.index~",
                     "checkpoint-010-0-1-2.manifest",
                     "checkpoint-+10-0-1-2.manifest",
                     "checkpoint-10-0-1-2x.manifest",
                     "checkpoint-99999999999999999999-0-1-2.manifest",
                     "checkpoint-10-0-1-2.data-00002-of-00002",
                     "checkpoint-10-0-1-2.data-0-of-2",
                     "checkpoint-10-0-1-2.data-00000-of-00002.tmp",
                     "my-checkpoint-10-0-1-2.manifest",
                     ".carrack.7.checkpoint-10-0-1-2.manifest"};
  EXPECT_THAT(unneeded_files(all(others, files_of(last)), manifest_name(last), {.last = 1}), IsEmpty());
}

TEST(Retention, RemovesNothingWhereTheLastCommitIsNotWhole) {
  const Cut old = cut_at(10), last = cut_at(40);
  for (const std::string& missing : files_of(last)) {
    Names names = all_of({old, last});
    std::erase(names, missing);
    EXPECT_THAT(unneeded_files(names, manifest_name(last), {.last = 1}), IsEmpty()) << missing;
  }
  EXPECT_THAT(unneeded_files(files_of(old), "no manifest", {.last = 1}), IsEmpty());
  EXPECT_THAT(unneeded_files({}, manifest_name(last), {.last = 1}), IsEmpty());
}

// After each commit some of the files are removed, as by processes that are killed meanwhile. Every commit that is to
// stay is there until the end, whatever the order of names.
TEST(Retention, RemovesTheSameWhereverItIsInterrupted) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Retention retention{.last = 1 + random() % 4, .every_steps = 10 + random() % 40};
    std::vector<std::uint64_t> steps;
    Names names;
    for (std::uint64_t step = 1 + random() % 9; step < 300; step += 1 + random() % 30) {
      steps.push_back(step);
      names = all(names, files_of(cut_at(step)));
      std::shuffle(names.begin(), names.end(), random);
      Names unneeded = unneeded_files(names, manifest_name(cut_at(step)), retention);
      unneeded.resize(random() % (unneeded.size() + 1));
      for (const std::string& name : unneeded) std::erase(names, name);
    }
    for (const std::string& name : unneeded_files(names, manifest_name(cut_at(steps.back())), retention)) {
      std::erase(names, name);
    }
    const std::set<std::uint64_t> stay = staying(steps, retention);
    EXPECT_THAT(names, UnorderedElementsAreArray(all_of(cuts_at({stay.begin(), stay.end()}))));
  }
}

class Removal : public testing::Test {
 protected:
  Removal() {
    for (const std::string& name : all_of(cuts_at({10, 20, 30}))) put("memory://jobs/line/" + name);
  }

  void put(const std::string& url) { storage.create(url, {})->commit(); }

  Names urls() {
    Names found;
    for (const data::Listed& one : storage.list("memory://jobs/**")) found.push_back(one.url);
    return found;
  }

  static Names in_folder(const Names& names) {
    Names found;
    for (const std::string& name : names) found.push_back("memory://jobs/line/" + name);
    return found;
  }

  data::MemoryStorage storage;
  CheckpointFolder folder{storage, "memory://jobs/line"};
  const std::string last = manifest_name(cut_at(30));
};

TEST_F(Removal, RemovesWhatIsNotNeededAndNothingBelowTheFolder) {
  const Names others{"memory://jobs/line/HEAD", "memory://jobs/line/indexes/checkpoint-10-0-1-2.manifest",
                     "memory://jobs/other/checkpoint-10-0-1-2.manifest"};
  for (const std::string& url : others) put(url);
  folder.remove_unneeded(last, {.last = 1}, [] { return true; });
  EXPECT_THAT(urls(), UnorderedElementsAreArray(all(others, in_folder(files_of(cut_at(30))))));
  folder.remove_unneeded(last, {.last = 1}, [] { return true; });
  EXPECT_EQ(urls().size(), 7U);
}

TEST_F(Removal, EndsWhereItIsStopped) {
  int removed = 0;
  folder.remove_unneeded(last, {.last = 1}, [&] { return ++removed <= 3; });
  EXPECT_EQ(urls().size(), 9U);
  EXPECT_FALSE(storage.stat("memory://jobs/line/" + manifest_name(cut_at(10))));
}

TEST_F(Removal, StaysInAFolderWhoseNameIsAPattern) {
  CheckpointFolder star(storage, "memory://jobs/*");
  for (const std::string& name : all_of(cuts_at({20, 30}))) put("memory://jobs/*/" + name);
  star.remove_unneeded(last, {.last = 1}, [] { return true; });
  EXPECT_EQ(urls().size(), 16U);
  EXPECT_FALSE(storage.stat("memory://jobs/*/" + manifest_name(cut_at(20))));
}

// It may have been stopped for so long that the shards of its cut are removed by now.
TEST_F(Removal, IsNotFollowedByAManifestOfTheCoordinatorBefore) {
  Claim claim = std::get<Claim>(folder.claim("job", 0, 1, "first"));
  Manifest manifest;
  manifest.job = "job";
  manifest.cut = cut_at(40);
  manifest.shards = 1;
  const CheckpointFolder::SavedShard saved = folder.save(manifest.cut, 0, 1, [](ShardWriter&) {});
  manifest.files = {saved.file};
  const auto bundle = std::get<Bundle>(merge(std::span(&saved.report, 1)));
  ASSERT_TRUE(std::holds_alternative<Claim>(folder.claim("job", 0, 2, "second")));
  EXPECT_FALSE(folder.commit(claim, manifest, bundle, "third"));
  EXPECT_FALSE(storage.stat("memory://jobs/line/" + manifest_name(manifest.cut)));
}

}  // namespace
}  // namespace carrack::checkpoint
