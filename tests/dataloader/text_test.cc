#include "dataloader/text.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace carrack::data {
namespace {

using std::string_literals::operator""s;

TEST(Text, FormatsCountsAndSizes) {
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(1'000), "1,000");
  EXPECT_EQ(counted(1'234'567), "1,234,567");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2'000, "record"), "2,000 records");
  EXPECT_EQ(counted(2, "batch"), "2 batches");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(999), "999 bytes");
  EXPECT_EQ(format_bytes(1'000), "1.0 kB");
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'950), "1.0 MB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "18446.7 PB");
}

TEST(Text, RecognizesUtf8) {
  EXPECT_TRUE(is_utf8("aä€😀"));
  for (const std::string& bad : {"\x80"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xf4\x90\x80\x80"s, "\xf0\x80\x80\x80"s,
                                 "\xe2\x82"s, "a\xff"s, "\xf5\x80\x80\x80"s})
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  EXPECT_TRUE(is_text("one\n\ttwo\r\n"));
  EXPECT_FALSE(is_text("a\x1b[31m"));
  EXPECT_FALSE(is_text("\xc2\x9b"));
  EXPECT_FALSE(is_text("a\0"s));
}

TEST(Text, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[2J\n\xff ä\xc2\x9b"), "a\\x1b[2J\\x0a\\xff ä\\xc2\\x9b");
  EXPECT_EQ(json_string("a\"\\\n\t\r\x1b\x7fä\xc2\x9b"), "\"a\\\"\\\\\\n\\t\\r\\u001b\\u007fä\\u009b\"");
}

TEST(Text, EncodesBase64AsInRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd\xfc"), "//79/A==");
}

TEST(Text, WritesHexadecimalDigits) {
  EXPECT_EQ(hexadecimal({}), "");
  EXPECT_EQ(hexadecimal(std::array<std::uint8_t, 4>{0x00, 0x0f, 0xa0, 0xff}), "000fa0ff");
}

TEST(Text, SuggestsTheNearestWord) {
  const std::array<std::string_view, 3> known = {"inspect", "head", "verify"};
  EXPECT_EQ(did_you_mean("inspct", known), "did you mean 'inspect'?");
  EXPECT_EQ(did_you_mean("xyz", known), "there are inspect, head, verify");
}

TEST(Text, ExcerptsAreCutBetweenCharacters) {
  EXPECT_EQ(excerpt("a\tb"), "\"a\\x09b\"");
  EXPECT_EQ(excerpt("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(excerpt("abcdefg", 6), "\"abcdef...\"");
  EXPECT_EQ(excerpt("abcd€f", 6), "\"abcd...\"");
  EXPECT_EQ(excerpt("\x80\x80\x80\x80\x80", 4), "\"\\x80...\"");
}

TEST(Text, ReadsNumbersThatAreAllOfTheText) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1.5e3"), 1500.0);
  for (const char* text : {"", "+1", " 1", "1 ", "1x", "300"})
    EXPECT_EQ(number_in<std::uint8_t>(text), std::nullopt) << text;
}

TEST(Text, TrimsBlanksAtBothEnds) {
  EXPECT_EQ(trimmed("\t a b "), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a\n"), "a\n");
  EXPECT_EQ(trimmed("\na\n", "\n"), "a");
}

TEST(Text, JoinsParts) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
}

TEST(ShellWord, IsReadBackByAShell) {
  EXPECT_EQ(shell_word("--folder=/runs/line_1"), "--folder=/runs/line_1");
  EXPECT_EQ(shell_word("my job.yaml"), "'my job.yaml'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(x) y"), "'$(x) y'");
}

}  // namespace
}  // namespace carrack::data
