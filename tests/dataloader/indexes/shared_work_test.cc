// Several members of a job, each on a thread, with the storages of several processes.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <thread>

#include "tests/dataloader/indexes/data_set.h"

namespace carrack::data {
namespace {

constexpr int file_count = 24;

class SharedWork : public DataSet {
 protected:
  SharedWork() : DataSet(file_count) {}

  // How often each file was read by these members of three, who begin together and all find the same.
  std::vector<int> builds_by(const std::vector<std::size_t>& members, std::chrono::milliseconds patience) {
    std::vector<std::unique_ptr<CountingStorage>> storages;
    const std::vector<Index> expected = made();
    {
      std::vector<std::jthread> threads;
      for (const std::size_t member : members) {
        CountingStorage& its = *storages.emplace_back(std::make_unique<CountingStorage>(storages.size()));
        threads.emplace_back([this, &its, &expected, member, patience] {
          IndexingOptions as = how();
          as.cache = "";
          as.share = {member, 3};
          as.patience = patience;
          const auto found = indexed_files([&](const std::string&) -> Storage& { return its; }, files(), as);
          const auto& all = std::get<std::vector<IndexedFile>>(found);
          ASSERT_EQ(all.size(), expected.size());
          for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].index, expected[i]);
        });
      }
    }
    std::vector<int> builds;
    for (int file = 0; file < file_count; ++file) {
      builds.push_back(std::accumulate(storages.begin(), storages.end(), 0,
                                       [&](int sum, const auto& one) { return sum + one->take_reads(data(file)); }));
    }
    return builds;
  }
};

constexpr auto long_enough = std::chrono::milliseconds(60'000);
constexpr auto short_enough = std::chrono::milliseconds(20);

TEST_F(SharedWork, BuildsEachIndexOnceByAnyOfTheMembers) {
  EXPECT_EQ(builds_by({0, 1, 2}, long_enough), std::vector<int>(file_count, 1));
}

TEST_F(SharedWork, IsDoneByTheOthersIfAMemberIsDead) {
  const std::vector<int> builds = builds_by({0, 2}, short_enough);
  EXPECT_TRUE(std::ranges::all_of(builds, [](int times) { return times == 1 || times == 2; }))
      << testing::PrintToString(builds);
}

TEST_F(SharedWork, IsDoneByOneIfAllOthersAreDead) {
  EXPECT_EQ(builds_by({1}, short_enough), std::vector<int>(file_count, 1));
}

TEST_F(SharedWork, IsDoneByMembersWithoutAShareIfNecessary) {
  EXPECT_EQ(builds_by({7}, short_enough), std::vector<int>(file_count, 1));
}

TEST_F(SharedWork, IsNotDoneAgain) {
  builds_by({0, 1, 2}, long_enough);
  EXPECT_EQ(builds_by({0, 1, 2, 7}, long_enough), std::vector<int>(file_count, 0));
}

TEST_F(SharedWork, IsDoneInFullByManyStartsOfTheSameMember) {
  const std::vector<int> builds = builds_by({0, 0, 1, 1, 2, 2}, long_enough);
  EXPECT_TRUE(std::ranges::all_of(builds, [](int times) { return times == 1 || times == 2; }))
      << testing::PrintToString(builds);
}

TEST_F(SharedWork, ContinuesIfNothingCanBeStored) {
  put(storage, folder.path() + "/shared", "a file where the folder would be");
  EXPECT_EQ(builds_by({0, 1, 2}, short_enough), std::vector<int>(file_count, 3));
}

}  // namespace
}  // namespace carrack::data
