#include <gtest/gtest.h>

#include "dataloader/records/example_writer.h"
#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

const Feature pairs{.name = "a", .dtype = Dtype::int64, .count = 2, .shape = Shape::list, .part = Part::feature_lists};
const Feature lists{.name = "a", .dtype = Dtype::int64, .shape = Shape::lists, .part = Part::feature_lists};

Message steps(const std::vector<Message>& features) {
  Message list;
  for (const Message& feature : features) list = list + field(1, feature);
  return list;
}
Message sequence(const Message& entries) {
  return field(2, entries);
}
Message with(const std::vector<Message>& features) {
  return sequence(entry("a", steps(features)));
}

TEST(SequenceExample, RoundTripsContextAndSteps) {
  const Strings label = {"cat"};
  const Floats first = {1, 2}, second = {3, 4};
  const Ints some = {5, -6}, none;
  const std::vector<NamedValues> context = {{"label", std::span(label)}};
  const std::vector<ValuesView> frames = {std::span(first), std::span(second)},
                                words = {std::span(some), std::span(none)};
  const std::vector<NamedSteps> by_step = {{"frames", frames}, {"words", words}, {"label", {}}};
  const Message record = sequence_example_of(context, by_step);
  ExampleParser parser({{.name = "label", .dtype = Dtype::bytes},
                        {.name = "frames", .count = 2, .shape = Shape::list, .part = Part::feature_lists},
                        {.name = "words", .dtype = Dtype::int64, .shape = Shape::lists, .part = Part::feature_lists},
                        {.name = "label", .shape = Shape::list, .part = Part::feature_lists}});
  std::vector<Column> columns = parser.columns(2);
  ASSERT_FALSE(parser.parse(record, 0, columns));
  ASSERT_FALSE(parser.parse(record, 1, columns));
  EXPECT_EQ(columns[0], (Column{Strings{"cat", "cat"}}));
  EXPECT_EQ(columns[1], (Column{Floats{1, 2, 3, 4, 1, 2, 3, 4}, {{0, 2, 4}}}));
  EXPECT_EQ(columns[2], (Column{Ints{5, -6, 5, -6}, {{0, 2, 4}, {0, 2, 2, 4, 4}}}));
  EXPECT_EQ(columns[3], (Column{Floats{}, {{0, 0, 0}}}));
}

TEST(SequenceExample, IsAnExampleIfOnlyItsContextIsRequested) {
  const Message record = example(entry("a", ints_feature({1}))) + field(2, text("\xff"));
  EXPECT_EQ(column({record}, {"a", Dtype::int64, 1}).values, Values(Ints{1}));
  EXPECT_EQ(problem(record, lists), "it is not a tf.Example at 16");
}

TEST(SequenceExample, PadsStepsToTheLongestSequence) {
  Feature padded = pairs;
  padded.shape = Shape::padded;
  padded.default_values = Ints{-1};
  EXPECT_EQ(column({with({ints_feature({1, 2})}), with({ints_feature({3, 4}), ints_feature({5, 6})})}, padded),
            (Column{Ints{1, 2, -1, -1, 3, 4, 5, 6}, {{0, 1, 3}}, 2}));
}

TEST(SequenceExample, MayLackAFeatureListOnlyIfAllowed) {
  for (Feature asked : {pairs, lists}) {
    EXPECT_EQ(problem(Message(), asked), "there is no feature list \"a\" at 0");
    EXPECT_EQ(problem(sequence(entry("b", {})), asked), "there is no feature list \"a\" at 0");
    EXPECT_EQ(problem(example(entry("a", ints_feature({1, 2}))), asked), "there is no feature list \"a\" at 0");
    asked.may_be_missing = true;
    EXPECT_EQ(column({Message()}, asked).splits[0], (Splits{0, 0}));
  }
}

TEST(SequenceExample, AcceptsAListWithoutSteps) {
  for (const Feature& asked : {pairs, lists}) {
    EXPECT_EQ(column({with({})}, asked).splits[0], (Splits{0, 0}));
    EXPECT_EQ(column({sequence(field(1, field(1, text("a"))))}, asked).splits[0], (Splits{0, 0}));
  }
}

TEST(SequenceExample, ReadsAnUnsetStepAsAnEmptyListButNotAsAnItem) {
  EXPECT_EQ(column({with({ints_feature({1}), {}, ints_feature({}), ints_feature({2, 3})})}, lists),
            (Column{Ints{1, 2, 3}, {{0, 4}, {0, 1, 1, 1, 3}}}));
  EXPECT_EQ(problem(with({ints_feature({1, 2}), {}}), pairs), "there is no step 1 of feature list \"a\" at 19");
  EXPECT_EQ(problem(with({ints_feature({})}), pairs),
            "step 0 of feature list \"a\" has 0 values, and 2 are needed at 11");
}

TEST(SequenceExample, ReadsNumbersPackedTaggedAndInPieces) {
  const Message pieces = field(3, field(1, varint(1)) + tagged_int(2)) + field(3, tagged_int(3));
  EXPECT_EQ(column({with({pieces, field(3, tagged_int(4))})}, lists), (Column{Ints{1, 2, 3, 4}, {{0, 2}, {0, 3, 4}}}));
  EXPECT_EQ(column({with({field(3, tagged_int(1)) + field(3, tagged_int(2))})}, pairs), (Column{Ints{1, 2}, {{0, 1}}}));
}

TEST(SequenceExample, UsesTheLastOfListsWithOneName) {
  const Message one = entry("a", steps({ints_feature({1, 2})})), two = entry("a", steps({ints_feature({3, 4})}));
  for (const Message& record : {sequence(one + two), sequence(one) + sequence(two)})
    EXPECT_EQ(column({record}, pairs), (Column{Ints{3, 4}, {{0, 1}}}));
  EXPECT_EQ(column({sequence(one + entry("a", {}))}, pairs), (Column{Ints{}, {{0, 0}}}));
}

TEST(SequenceExample, SkipsUnknownFields) {
  const Message unknown = field(9, text("new")) + varint(10 << 3) + varint(300);
  const Message list = unknown + field(1, unknown + ints_feature({1, 2}) + unknown) + unknown;
  const Message one = unknown + field(2, list) + unknown + field(1, text("a")) + unknown;
  EXPECT_EQ(column({unknown + sequence(unknown + field(1, one)) + unknown}, pairs), (Column{Ints{1, 2}, {{0, 1}}}));
}

TEST(SequenceExample, NamesTheStepAndTheBadByte) {
  EXPECT_EQ(problem(with({ints_feature({1, 2}), ints_feature({3})}), pairs),
            "step 1 of feature list \"a\" has 1 values, and 2 are needed at 19");
  EXPECT_EQ(problem(with({ints_feature({1, 2}), strings_feature({"x"})}), lists),
            "step 1 of feature list \"a\" holds bytes values, and int64 was asked for at 19");
  EXPECT_EQ(problem(with({ints_feature({1}) + field(2, {})}), lists),
            "step 0 of feature list \"a\" holds values of two kinds at 16");
  EXPECT_EQ(problem(with({field(3, field(1, text("\xff")))}), lists),
            "step 0 of feature list \"a\" is malformed at 13");
  Feature pairs_in_lists = lists;
  pairs_in_lists.count = 2;
  EXPECT_EQ(problem(with({ints_feature({1, 2, 3})}), pairs_in_lists),
            "step 0 of feature list \"a\" has 3 values, which are no whole items of 2 at 11");
  EXPECT_EQ(problem(sequence(entry("a", field(1, ints_feature({1})) + tagged_int(1))), lists),
            "feature list \"a\" is malformed at 16");
  EXPECT_EQ(problem(sequence(entry("a", text("\x0a\x7f"))), lists), "feature list \"a\" is malformed at 9");
  EXPECT_EQ(problem(varint(2 << 3) + varint(1), lists), "it is not a tf.Example at 0");
}

}  // namespace
}  // namespace carrack::data
