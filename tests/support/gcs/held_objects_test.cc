#include "tests/support/gcs/held_objects.h"

#include <gtest/gtest.h>

namespace carrack::tests {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

TEST(AskedRange, IsWhatIsThereOfIt) {
  EXPECT_EQ(requested_range("bytes=0-9", 100), (Range{0, 9}));
  EXPECT_EQ(requested_range("bytes=90-200", 100), (Range{90, 99}));
  EXPECT_EQ(requested_range("bytes=99-", 100), (Range{99, 99}));
  EXPECT_EQ(requested_range("bytes=-10", 100), (Range{90, 99}));
  EXPECT_EQ(requested_range("bytes=-1000", 100), (Range{0, 99}));
}

TEST(AskedRange, IsNoneWhereNothingIsThereOrNothingIsAsked) {
  for (const char* range :
       {"bytes=100-", "bytes=100-200", "bytes=9-8", "bytes=-0", "bytes=-", "bytes=x-", "lines=0-9", ""}) {
    EXPECT_EQ(requested_range(range, 100), std::nullopt) << range;
  }
  EXPECT_EQ(requested_range("bytes=0-", 0), std::nullopt);
}

}  // namespace
}  // namespace carrack::tests
