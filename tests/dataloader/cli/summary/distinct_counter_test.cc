#include "dataloader/cli/summary/distinct_counter.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/cli/summary/value_counts.h"

namespace carrack::data::cli {
namespace {

TEST(DistinctCounter, IsExactUpTo4096ValuesHoweverOftenTheyRepeat) {
  DistinctCounter distinct;
  for (int times = 0; times < 10; ++times)
    for (std::int64_t i = 0; i < 4096; ++i) distinct.add(i * 1000 - 7);
  EXPECT_EQ(distinct.count(), (DistinctCounter::Count{4096, true}));
  distinct.add(std::int64_t{1});
  EXPECT_FALSE(distinct.count().exact);
}

TEST(DistinctCounter, CountsTheValueWhoseHashIs0) {
  DistinctCounter distinct;
  const std::uint64_t value = ~std::uint64_t{0x9e3779b97f4a7c15} + 1;  // mix_bits() adds this constant first.
  distinct.add(static_cast<std::int64_t>(value));
  EXPECT_EQ(distinct.count(), (DistinctCounter::Count{1, true}));
}

TEST(DistinctCounter, IsCloseForMoreValues) {
  for (const std::int64_t size : {5000, 100'000, 3'000'000}) {
    DistinctCounter distinct;
    for (int times = 0; times < 2; ++times)
      for (std::int64_t i = 0; i < size; ++i) distinct.add(i);
    EXPECT_NEAR(static_cast<double>(distinct.count().count), static_cast<double>(size),
                0.05 * static_cast<double>(size));
  }
}

TEST(DistinctCounter, CountsTextsAndTakesMinusZeroForZero) {
  DistinctCounter distinct;
  for (const std::string_view text : {"a", "b", "", "a"}) distinct.add(text);
  EXPECT_EQ(distinct.count(), (DistinctCounter::Count{3, true}));
  DistinctCounter zeros;
  zeros.add(0.0);
  zeros.add(-0.0F);
  EXPECT_EQ(zeros.count(), (DistinctCounter::Count{1, true}));
}

TEST(DistinctCounter, MergesPartsInAnyOrder) {
  const auto part = [](std::int64_t from, std::int64_t to) {
    DistinctCounter distinct;
    for (std::int64_t i = from; i < to; ++i) distinct.add(i);
    return distinct;
  };
  const DistinctCounter whole = part(0, 50'000);
  DistinctCounter one = part(0, 30'000), other = part(30'000, 50'000);
  one.merge(other);
  other.merge(part(0, 30'000));
  EXPECT_EQ(one.count(), whole.count());
  EXPECT_EQ(other.count(), whole.count());
}

TEST(ValueCounts, CountsUntilThereAreTooManyValues) {
  ValueCounts<std::string> few, more;
  for (const std::string_view text : {"cat", "dog", "cat"}) few.add(text);
  more.add(std::string_view("dog"));
  few.merge(more);
  EXPECT_EQ(few.counts(), (ValueCounts<std::string>::Counts{{"cat", 2}, {"dog", 2}}));
  ValueCounts<std::int64_t> many;
  for (std::int64_t i = 16; i > 0; --i) many.add(i);
  EXPECT_EQ(many.counts()->front(), (std::pair<std::int64_t, std::uint64_t>{1, 1}));
  many.add(0);
  EXPECT_EQ(many.counts(), std::nullopt);
  ValueCounts<std::int64_t> one;
  one.add(1);
  one.merge(many);
  EXPECT_EQ(one.counts(), std::nullopt);
}

}  // namespace
}  // namespace carrack::data::cli
