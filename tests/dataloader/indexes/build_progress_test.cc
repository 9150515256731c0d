#include "dataloader/indexes/build_progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::data {
namespace {

TEST(BuildProgress, TellsAmountsInTheUnitOfTheWhole) {
  EXPECT_EQ(amount_of(1'234'000'000, 4'800'000'000), "1.2 of 4.8 GB");
  EXPECT_EQ(amount_of(0, 2'000'000'000'000), "0.0 of 2.0 TB");
  EXPECT_EQ(amount_of(999, 1'500), "1.0 of 1.5 kB");
  EXPECT_EQ(amount_of(3, 999), "3 of 999 bytes");
}

TEST(BuildProgress, BeginsWithALineAndDoesNotTellOfEveryFile) {
  std::vector<std::string> lines;
  BuildProgress progress(12, 4'800'000'000, [&](const std::string& line) { lines.push_back(line); });
  for (int file = 0; file < 12; ++file) progress.advance(400'000'000, true);
  EXPECT_EQ(lines, std::vector<std::string>{"indexing 0 of 12 files, 0.0 of 4.8 GB"});
}

}  // namespace
}  // namespace carrack::data
