#include "trainer/launch/tensor_groups.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

TEST(TensorGroups, MatchNamesWithStars) {
  for (const char* pattern :
       {"dense/bias", "*", "**", "*/bias", "dense/*", "d*s", "*e*/*b*", "dense/bias*", "*dense/bias"}) {
    EXPECT_TRUE(matches_tensor(pattern, "dense/bias")) << pattern;
  }
  for (const char* pattern :
       {"", "dense", "bias", "*/kernel", "dense_*", "d?nse/bias", "Dense/bias", "*s/*s/*", "*bia"}) {
    EXPECT_FALSE(matches_tensor(pattern, "dense/bias")) << pattern;
  }
  EXPECT_TRUE(matches_tensor("*/bias", "a/b/bias")) << "a star goes over slashes";
  EXPECT_TRUE(matches_tensor("*aab", "aaab")) << "the star takes more after a mismatch";
  EXPECT_TRUE(matches_tensor("", ""));
}

TEST(TensorGroups, AreFoundInOrder) {
  const std::vector<TensorGroup> groups{{.tensors = {"a/*", "*/bias"}}, {.tensors = {"*"}}};
  EXPECT_EQ(group_of(groups, "a/kernel"), &groups[0]);
  EXPECT_EQ(group_of(groups, "b/bias"), &groups[0]);
  EXPECT_EQ(group_of(groups, "b/kernel"), &groups[1]);
  EXPECT_EQ(group_of({}, "b/kernel"), nullptr);
}

TEST(TensorGroups, AreFrozenWithoutARate) {
  EXPECT_FALSE(is_frozen({.tensors = {"a"}}));
  EXPECT_TRUE(is_frozen({.tensors = {"a"}, .frozen = true}));
  EXPECT_TRUE(is_frozen({.tensors = {"a"}, .rate_scale = 0}));
}

}  // namespace
}  // namespace carrack::train
