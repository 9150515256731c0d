#include "dataloader/storage/url.h"

#include <gtest/gtest.h>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    url_from(text);
  } catch (const Refused& error) {
    return error.what();
  }
  return "no error";
}

TEST(Url, IsAFileUnlessItNamesAScheme) {
  EXPECT_EQ(url_from("/a/b"), (Url{"file", "", "", "/a/b"}));
  EXPECT_EQ(url_from("a b"), (Url{"file", "", "", "a b"}));
  EXPECT_EQ(url_from("a/b://c"), (Url{"file", "", "", "a/b://c"}));
  EXPECT_EQ(url_from("file:///a/b"), (Url{"file", "file://", "", "/a/b"}));
}

TEST(Url, OfABucketHasABucketAndAName) {
  EXPECT_EQ(url_from("gs://bucket/a/b%20c"), (Url{"gs", "gs://bucket/", "bucket", "a/b%20c"}));
  EXPECT_EQ(url_from("s3://bucket/a"), (Url{"s3", "s3://bucket/", "bucket", "a"}));
}

TEST(Url, ThatNamesNoObjectIsRefused) {
  EXPECT_EQ(refusal_of(""), "the URL of an object is empty; write a path, file:///PATH or gs://BUCKET/NAME");
  EXPECT_EQ(refusal_of("file://host/a"),
            "file://host/a: a file URL has three slashes and no host; write file:///ABSOLUTE/PATH or a bare path");
  EXPECT_EQ(refusal_of("gs://bucket"), "gs://bucket: names no object; write gs://BUCKET/NAME");
  EXPECT_EQ(refusal_of("gs://bucket/"), "gs://bucket/: names no object; write gs://BUCKET/NAME");
  EXPECT_EQ(refusal_of("gs:///a"), "gs:///a: names no object; write gs://BUCKET/NAME");
}

TEST(Pattern, HasAtMostSixteenStars) {
  std::string pattern = "gs://bucket/";
  for (int i = 0; i < 16; ++i) pattern += i % 2 == 0 ? "*a" : "**a";
  EXPECT_EQ(pattern_from(pattern), url_from(pattern));
  try {
    pattern_from(pattern + "*");
    FAIL() << "17 stars";
  } catch (const Refused& error) {
    EXPECT_EQ(error.what(), pattern + "*: has more than 16 wildcards `*` or `**`; write fewer");
  }
}

TEST(Matches, AStarStaysInItsFolderAndTwoDoNot) {
  EXPECT_TRUE(matches("a/*.rec", "a/b.rec"));
  EXPECT_FALSE(matches("a/*.rec", "a/b/c.rec"));
  EXPECT_TRUE(matches("a/**.rec", "a/b/c.rec"));
  EXPECT_TRUE(matches("**/c", "a/b/c"));
  EXPECT_FALSE(matches("**/c", "c"));
  EXPECT_TRUE(matches("a**", "a"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("?", ""));
}

TEST(Matches, TriesAllWaysToGrowAStar) {
  EXPECT_TRUE(matches("*ab*ab", "abab"));
  EXPECT_TRUE(matches("*aab", "aaaab"));
  EXPECT_FALSE(matches("*ab*ab*ab", "abab"));
  EXPECT_TRUE(matches("**/x*/*.rec", "a/xa/b/xc/d.rec"));
  EXPECT_FALSE(matches("**/x*/*.rec", "a/xa/b/yc/d.rec"));
  EXPECT_TRUE(matches("a*/b**c*d", "ax/b/c/c/cxd"));
}

TEST(Matches, AQuestionMarkIsOneCharacterOfUtf8) {
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_TRUE(matches("a?c", "aüc"));
  EXPECT_TRUE(matches("??", "日本"));
  EXPECT_FALSE(matches("a?c", "a/c"));
  EXPECT_FALSE(matches("a?c", "ac"));
}

TEST(Matches, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += i % 2 == 0 ? "*a" : "**a";
  EXPECT_FALSE(matches(pattern + "b", std::string(3000, 'a')));
}

}  // namespace
}  // namespace carrack::data
