#include "dataloader/cli/summary/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "tests/dataloader/records/example_messages.h"

namespace carrack::data::cli {
namespace {

using Kind = ExampleWalker::Message;

Summary summary_of(const std::vector<Message>& records) {
  Summary summary;
  ExampleWalker walker;
  for (std::size_t i = 0; i < records.size(); ++i) summary.add("x.tfrecord", i, records[i], walker);
  return summary;
}

Message floats_feature(const Floats& values) {
  Message list;
  for (const float value : values) list = list + tagged_float(value);
  return field(2, list);
}

TEST(NumberSummary, ComputesRangeMeanAndStandardDeviation) {
  NumberSummary<float> summary;
  const Floats values = {2, 4, 4, 4, 5, 5, 7, 9};
  summary.add(values);
  EXPECT_EQ(summary.count, 8U);
  EXPECT_EQ(summary.min, 2);
  EXPECT_EQ(summary.max, 9);
  EXPECT_EQ(summary.mean(), 5);
  EXPECT_EQ(summary.standard_deviation(), 2);
  EXPECT_EQ(summary.distinct.count(), (DistinctCounter::Count{5, true}));
  EXPECT_EQ(Distribution(summary.quantiles).quantile(0.5), 4);
}

TEST(NumberSummary, CountsNonFiniteValuesSeparately) {
  NumberSummary<float> summary;
  const Floats values = {NAN, INFINITY, -INFINITY, NAN, 1};
  summary.add(values);
  EXPECT_EQ(summary.nan_count, 2U);
  EXPECT_EQ(summary.infinities, 1U);
  EXPECT_EQ(summary.negative_infinities, 1U);
  EXPECT_EQ(summary.count, 1U);
  EXPECT_EQ(summary.mean(), 1);
}

TEST(NumberSummary, CountsIntegersThatAFloatMayRound) {
  NumberSummary<std::int64_t> summary;
  const Ints values = {1 << 24, -(1 << 24), (1 << 24) + 1, std::numeric_limits<std::int64_t>::min()};
  summary.add(values);
  EXPECT_EQ(summary.beyond_float32, 2U);
  EXPECT_EQ(summary.min, std::numeric_limits<std::int64_t>::min());
}

// A double has 53 bits: at 2^60 it holds every 256th.
TEST(NumberSummary, KeepsSmallDifferencesOfLargeIntegers) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  NumberSummary<std::int64_t> merged;
  for (std::int64_t part = 0; part < 50; part += 10) {
    NumberSummary<std::int64_t> summary;
    for (std::int64_t i = part; i < part + 10; ++i) summary.add(Ints{large + i});
    merged.merge(summary);
  }
  EXPECT_DOUBLE_EQ(merged.standard_deviation(), std::sqrt((50. * 50 - 1) / 12));
  EXPECT_EQ(merged.mean(), static_cast<double>(large));
  EXPECT_EQ(Distribution(merged.quantiles).quantile(0.5), large + 24);
  NumberSummary<std::int64_t> apart;
  apart.add(Ints{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  EXPECT_DOUBLE_EQ(apart.standard_deviation(), std::ldexp(1, 63));
}

TEST(NumberSummary, MergesParts) {
  NumberSummary<float> whole, merged;
  for (int part = 0; part < 7; ++part) {
    Floats values;
    for (int i = 0; i < part * 100; ++i) values.push_back(static_cast<float>(1000 + part + i % 17));
    whole.add(values);
    NumberSummary<float> summary;
    summary.add(values);
    merged.merge(summary);
  }
  EXPECT_EQ(merged.count, whole.count);
  EXPECT_EQ(merged.min, whole.min);
  EXPECT_EQ(merged.max, whole.max);
  EXPECT_NEAR(merged.mean(), whole.mean(), 1e-9);
  EXPECT_NEAR(merged.standard_deviation(), whole.standard_deviation(), 1e-9);
  EXPECT_EQ(merged.distinct.count(), whole.distinct.count());
}

TEST(ValueColumns, TellTheValuesOfARecordApart) {
  ValueColumns columns;
  columns.add(std::span<const float>(Floats{1, 100, NAN}));
  columns.add(std::span<const float>(Floats{3, -100, NAN}));
  columns.add(std::span<const float>(Floats{5, -INFINITY, NAN}));
  ASSERT_EQ(columns.columns().size(), 3U);
  const ValueColumn &first = columns.columns()[0], &second = columns.columns()[1], &third = columns.columns()[2];
  EXPECT_EQ(first.min, 1);
  EXPECT_EQ(first.max, 5);
  EXPECT_EQ(first.moments.mean, 3);
  EXPECT_DOUBLE_EQ(first.moments.standard_deviation(), std::sqrt(8. / 3));
  EXPECT_EQ(first.nan + first.infinite, 0U);
  EXPECT_EQ(second.moments.mean, 0);
  EXPECT_EQ(second.moments.count, 2U);
  EXPECT_EQ(second.infinite, 1U);
  EXPECT_EQ(third.nan, 3U);
  EXPECT_EQ(third.moments.count, 0U);
}

TEST(ValueColumns, AreThereOnlyIfAllRecordsHaveAsManyValues) {
  const auto count = [](const std::vector<std::size_t>& sizes) {
    ValueColumns columns;
    for (const std::size_t size : sizes) columns.add(std::span<const float>(Floats(size, 1.5f)));
    return columns.columns().size();
  };
  EXPECT_EQ(count({2, 2}), 2U);
  EXPECT_EQ(count({64}), 64U);
  for (const auto& sizes : std::vector<std::vector<std::size_t>>{{}, {1}, {65}, {0, 2}, {2, 0, 2}, {2, 3}, {1, 2, 2}})
    EXPECT_EQ(count(sizes), 0U) << testing::PrintToString(sizes);
}

TEST(ValueColumns, MergeParts) {
  ValueColumns whole, merged;
  for (int part = 0; part < 5; ++part) {
    ValueColumns some;
    for (int i = 0; i < part * 10; ++i) {
      const Ints values = {i, 1000 * part - i};
      whole.add(std::span<const std::int64_t>(values));
      some.add(std::span<const std::int64_t>(values));
    }
    merged.merge(some);
  }
  ASSERT_EQ(merged.columns().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ValueColumn &one = merged.columns()[i], &other = whole.columns()[i];
    EXPECT_EQ(one.min, other.min);
    EXPECT_EQ(one.max, other.max);
    EXPECT_EQ(one.moments.count, other.moments.count);
    EXPECT_NEAR(one.moments.mean, other.moments.mean, 1e-9);
    EXPECT_NEAR(one.moments.standard_deviation(), other.moments.standard_deviation(), 1e-9);
  }
  ValueColumns three;
  three.add(std::span<const float>(Floats{1, 2, 3}));
  merged.merge(three);
  EXPECT_TRUE(merged.columns().empty());
  three.merge(merged);
  EXPECT_TRUE(three.columns().empty()) << "what was discarded stays so";
}

TEST(Summary, HasColumnsOfFeaturesOfOneTypeOnly) {
  const auto columns_of = [](const std::vector<Message>& records, Part part = Part::features) {
    return summary_of(records).features.at({part, "x"}).columns.columns().size();
  };
  const Message floats = entry("x", floats_feature({1, 2})), ints = entry("x", ints_feature({1, 2}));
  EXPECT_EQ(columns_of({example(floats), example(floats)}), 2U);
  EXPECT_EQ(columns_of({example(ints)}), 2U);
  EXPECT_EQ(columns_of({example(ints), example(floats)}), 0U);
  EXPECT_EQ(columns_of({example(entry("x", strings_feature({"a", "b"})))}), 0U);
  EXPECT_EQ(columns_of({field(2, entry("x", field(1, floats_feature({1, 2}))))}, Part::feature_lists), 0U);
  Summary merged = summary_of({example(ints)});
  merged.merge(summary_of({example(floats)}));
  EXPECT_TRUE(merged.features.at({Part::features, "x"}).columns.columns().empty());
}

TEST(Summary, CountsMessagesSizesAndFeatures) {
  const Message first = example(entry("x", floats_feature({1, 2})) + entry("label", ints_feature({3})));
  const Message second = example(entry("x", floats_feature({4, 6})));
  const Summary summary = summary_of({first, second});
  EXPECT_EQ(summary.records(), 2U);
  EXPECT_EQ(summary.count(Kind::example), 2U);
  EXPECT_EQ(summary.bytes, first.size() + second.size());
  EXPECT_EQ(summary.sizes.max, static_cast<std::int64_t>(first.size()));
  ASSERT_EQ(summary.features.size(), 2U);
  const FeatureSummary& x = summary.features.at({Part::features, "x"});
  EXPECT_EQ(x.records, 2U);
  EXPECT_EQ(x.values, (Range{2, 2}));
  EXPECT_EQ(x.dtype(), Dtype::float32);
  EXPECT_EQ(x.floats.mean(), 3.25);
  EXPECT_EQ(x.example, "[1.0, 2.0]");
  EXPECT_EQ(summary.features.at({Part::features, "label"}).records, 1U);
}

TEST(Summary, CountsTheStepsOfFeatureLists) {
  const Message steps = field(1, floats_feature({1, 2})) + field(1, floats_feature({3})) + field(1, {});
  const Summary summary = summary_of({field(2, entry("l", steps)), field(2, entry("l", {}))});
  EXPECT_EQ(summary.count(Kind::sequence_example), 2U);
  const FeatureSummary& list = summary.features.at({Part::feature_lists, "l"});
  EXPECT_EQ(list.steps, (Range{0, 3}));
  EXPECT_EQ(list.values, (Range{0, 2}));
  EXPECT_EQ(list.dtype(), Dtype::float32);
  EXPECT_EQ(list.floats.count, 3U);
}

TEST(Summary, NamesTheFirstRecordThatIsNoExample) {
  const Summary summary = summary_of({example(entry("i", ints_feature({1}))), text("one"), text("two")});
  EXPECT_EQ(summary.count(Kind::other), 2U);
  EXPECT_EQ(summary.examples(), 1U);
  EXPECT_EQ(summary.first_unknown, "x.tfrecord: record 1");
}

TEST(Summary, HasNoTypeForAFeatureOfTwoTypes) {
  const Summary summary =
      summary_of({example(entry("i", ints_feature({1}))), example(entry("i", strings_feature({"a"})))});
  EXPECT_EQ(summary.features.at({Part::features, "i"}).dtype(), std::nullopt);
}

TEST(Summary, RecognizesImagesAndTexts) {
  const std::string_view small("GIF89a\x0a\x00\x14\x00", 10), large("GIF89a\x0b\x00\x1e\x00", 10);
  const Summary summary = summary_of({example(entry("s", strings_feature({small, large, "text", "\xff"})))});
  const StringSummary& strings = summary.features.at({Part::features, "s"}).strings;
  EXPECT_EQ(strings.texts, 1U);
  ASSERT_EQ(strings.images.size(), 1U);
  EXPECT_EQ(strings.images.at("GIF").count, 2U);
  EXPECT_EQ(strings.images.at("GIF").width, (Range{10, 11}));
  EXPECT_EQ(strings.images.at("GIF").height, (Range{20, 30}));
  EXPECT_EQ(strings.lengths.count, 4U);
  EXPECT_EQ(strings.distinct.count(), (DistinctCounter::Count{4, true}));
}

TEST(Summary, MergesParts) {
  std::vector<Message> records;
  for (int i = 0; i < 100; ++i) {
    const std::string name = i % 3 == 0 ? "a" : "b";
    records.push_back(example(entry(name, ints_feature({i})) + entry("s", strings_feature({name}))));
  }
  records.push_back(text("none"));
  const Summary whole = summary_of(records);
  Summary merged;
  for (const std::size_t cut : {0, 40, 41, 90}) {
    const std::size_t end = cut == 0 ? 40 : cut == 40 ? 41 : cut == 41 ? 90 : records.size();
    merged.merge(summary_of(
        {records.begin() + static_cast<std::ptrdiff_t>(cut), records.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  EXPECT_EQ(merged.records(), whole.records());
  EXPECT_EQ(merged.bytes, whole.bytes);
  EXPECT_EQ(merged.messages, whole.messages);
  ASSERT_EQ(merged.features.size(), whole.features.size());
  for (const auto& [key, feature] : whole.features) {
    const FeatureSummary& other = merged.features.at(key);
    EXPECT_EQ(other.records, feature.records) << key.name;
    EXPECT_EQ(other.example, feature.example) << key.name;
    EXPECT_EQ(other.ints.distinct.count(), feature.ints.distinct.count()) << key.name;
    EXPECT_EQ(other.strings.counts.counts(), feature.strings.counts.counts()) << key.name;
  }
}

TEST(Summary, SummarizesABoundedNumberOfFeatures) {
  Summary summary;
  ExampleWalker walker;
  for (std::size_t i = 0; i < Summary::features_max + 10; ++i)
    summary.add("x", i, example(entry("name" + std::to_string(i), ints_feature({1}))), walker);
  EXPECT_EQ(summary.features.size(), Summary::features_max);
  EXPECT_EQ(summary.ignored_features, 10U);
  Summary merged = summary_of({example(entry("another", ints_feature({1})))});
  merged.merge(summary);
  EXPECT_EQ(merged.features.size(), Summary::features_max);
  EXPECT_EQ(merged.ignored_features, 11U);
}

}  // namespace
}  // namespace carrack::data::cli
