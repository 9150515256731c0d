#include "trainer/checkpoint/slice_key.h"

#include <gtest/gtest.h>

#include <string_view>

namespace carrack::checkpoint {
namespace {

using namespace std::string_view_literals;

// What TensorFlow 2.21 wrote for tensors of one column, of which rows [start, start + 2) were saved.
TEST(SliceKey, IsTensorFlowsForEveryLengthOfNumber) {
  const auto rows_from = [](std::int64_t start) { return slice_key("x", std::vector<Extent>{{start, 2}, {0, -1}}); };
  EXPECT_EQ(rows_from(0), "\x00x\x00\x01\x01\x02\x80\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(63), "\x00x\x00\x01\x01\x02\xbf\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(64), "\x00x\x00\x01\x01\x02\xc0\x40\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(8191), "\x00x\x00\x01\x01\x02\xdf\xff\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(8192), "\x00x\x00\x01\x01\x02\xe0\x20\x00\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(1 << 20), "\x00x\x00\x01\x01\x02\xf0\x10\x00\x00\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from((1 << 27) - 1), "\x00x\x00\x01\x01\x02\xf7\xff\xff\xff\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(1ll << 40), "\x00x\x00\x01\x01\x02\xfd\x00\x00\x00\x00\x00\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(1ll << 55), "\x00x\x00\x01\x01\x02\xff\x80\x80\x00\x00\x00\x00\x00\x00\x82\x80\x7f"sv);
  EXPECT_EQ(rows_from(1ll << 61), "\x00x\x00\x01\x01\x02\xff\xa0\x00\x00\x00\x00\x00\x00\x00\x82\x80\x7f"sv);
}

TEST(SliceKey, EscapesTheBytesThatEndAName) {
  EXPECT_EQ(slice_key("a\0b\xff"sv, std::vector<Extent>{{0, 2}}),
            "\x00"
            "a\x00\xff"
            "b\xff\x00\x00\x01\x01\x01\x80\x82"sv);
}

}  // namespace
}  // namespace carrack::checkpoint
