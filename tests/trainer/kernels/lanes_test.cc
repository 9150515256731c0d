#include "trainer/kernels/lanes.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

TEST(EqualPart, CoversAllInOrderWithTheLargerPartsFirst) {
  for (std::int64_t total = 0; total <= 40; ++total) {
    for (std::int64_t parts = 1; parts <= 12; ++parts) {
      std::int64_t at = 0, last_size = total;
      for (std::int64_t index = 0; index < parts; ++index) {
        const Range part = equal_part(total, parts, index);
        ASSERT_EQ(part.begin, at);
        ASSERT_LE(part.size(), last_size);
        ASSERT_TRUE(part.size() == total / parts || part.size() == total / parts + 1);
        at = part.end;
        last_size = part.size();
      }
      ASSERT_EQ(at, total);
    }
  }
}

TEST(AlignedSubtrees, OfAnyRunAreAlignedAndCoverItAndNoTwoOfThemAreOne) {
  for (int begin = 0; begin < 64; ++begin) {
    for (int end = begin; end <= 64; ++end) {
      int at = begin;
      Subtree last{-1, 0};
      for (const Subtree& subtree : aligned_subtrees({begin, end})) {
        ASSERT_EQ(subtree.begin, at);
        ASSERT_EQ(subtree.begin % subtree.size, 0);
        const bool siblings = last.size == subtree.size && last.begin % (2 * last.size) == 0;
        ASSERT_FALSE(siblings) << "lanes " << begin << " to " << end;
        at += subtree.size;
        last = subtree;
      }
      ASSERT_EQ(at, end);
    }
  }
}

}  // namespace
}  // namespace carrack::train
