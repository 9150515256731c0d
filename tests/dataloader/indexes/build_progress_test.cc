#include "dataloader/indexes/build_progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::data {
namespace {

TEST(BuildProgress, IsFormattedInTheUnitOfTheTotal) {
  EXPECT_EQ(describe({3, 12, 1'234'000'000, 4'800'000'000}), "3 of 12 files, 1.2 of 4.8 GB");
  EXPECT_EQ(describe({0, 1, 0, 2'000'000'000'000}), "0 of 1 files, 0.0 of 2.0 TB");
  EXPECT_EQ(describe({0, 2, 999, 1'500}), "0 of 2 files, 1.0 of 1.5 kB");
  EXPECT_EQ(describe({1, 2, 3, 999}), "1 of 2 files, 3 of 999 bytes");
}

TEST(BuildProgress, ReportsAtTheBeginningAndNotForEachFile) {
  std::vector<IndexingProgress> told;
  BuildProgress progress(12, 4'800, [&](const IndexingProgress& built) { told.push_back(built); });
  for (int file = 0; file < 12; ++file) progress.advance(400, true);
  EXPECT_EQ(told, std::vector<IndexingProgress>(1, {0, 12, 0, 4'800}));
}

}  // namespace
}  // namespace carrack::data
