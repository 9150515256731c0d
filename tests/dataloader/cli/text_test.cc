#include "dataloader/cli/text.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace carrack::data::cli {
namespace {

using std::string_literals::operator""s;

TEST(Text, NumbersAreReadAtAGlance) {
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(1'000), "1,000");
  EXPECT_EQ(counted(1'234'567), "1,234,567");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2'000, "record"), "2,000 records");
  EXPECT_EQ(size_text(1), "1 byte");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1'000), "1.0 kB");
  EXPECT_EQ(size_text(999'949), "999.9 kB");
  EXPECT_EQ(size_text(999'950), "1.0 MB");
  EXPECT_EQ(size_text(std::numeric_limits<std::uint64_t>::max()), "18446.7 PB");
  EXPECT_EQ(short_number(1.0 / 3), "0.3333");
  EXPECT_EQ(whole_number(-1'234'567), "-1,234,567");
  EXPECT_EQ(whole_number(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("aä€😀"));
  for (const std::string& bad : {"\x80"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s, "\xf0\x80\x80\x80"s,
                                 "\xe2\x82"s, "a\xff"s, "\xf5\x80\x80\x80"s})
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  EXPECT_TRUE(is_text("one\n\ttwo\r\n"));
  EXPECT_FALSE(is_text("a\x1b[31m"));
  EXPECT_FALSE(is_text("\xc2\x9b"));
  EXPECT_FALSE(is_text("a\0"s));
}

TEST(Text, MovesNoCursor) {
  EXPECT_EQ(printable("a\x1b[2J\n\xff ä\xc2\x9b"), "a\\x1b[2J\\x0a\\xff ä\\xc2\\x9b");
  EXPECT_EQ(quoted("a\"\\\n\t\r\x1b\x7fä\xc2\x9b"), "\"a\\\"\\\\\\n\\t\\r\\u001b\\u007fä\\u009b\"");
}

TEST(Text, FloatsReadAsTheSameNumberAndNeverAsAWholeOne) {
  EXPECT_EQ(json_number(0.1F), "0.1");
  EXPECT_EQ(json_number(2), "2.0");
  EXPECT_EQ(json_number(-0.0F), "-0.0");
  EXPECT_EQ(json_number(1e30F), "1e+30");
  EXPECT_EQ(json_number(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(json_number(std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(json_number(-std::numeric_limits<float>::infinity()), "\"-Infinity\"");
}

TEST(Text, Base64IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd\xfc"), "//79/A==");
}

TEST(Text, TheNearestWordIsAskedFor) {
  const std::array<std::string_view, 3> known = {"inspect", "head", "verify"};
  EXPECT_EQ(nearest("inspct", known), "did you mean 'inspect'?");
  EXPECT_EQ(nearest("xyz", known), "there are inspect, head, verify");
}

}  // namespace
}  // namespace carrack::data::cli
