#include <gtest/gtest.h>

#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

Message with(std::string_view name, const Ints& values) {
  return example(entry(name, ints_feature(values)));
}

const Feature list{.name = "a", .dtype = Dtype::int64, .shape = Shape::list};
const Feature pairs{.name = "a", .dtype = Dtype::int64, .count = 2, .shape = Shape::list};

TEST(ExampleLists, AreConsecutiveRows) {
  const Column found = column({with("a", {1, 2, 3}), with("a", {}), with("a", {-4})}, list);
  EXPECT_EQ(found, (Column{Ints{1, 2, 3, -4}, {{0, 3, 3, 4}}}));
  const Message strings = example(entry("a", strings_feature({"x", "", "y"})));
  EXPECT_EQ(column({strings, strings}, {.name = "a", .dtype = Dtype::bytes, .shape = Shape::list}),
            (Column{Strings{"x", "", "y", "x", "", "y"}, {{0, 3, 6}}}));
}

TEST(ExampleLists, AreEmptyIfTheRecordHasNone) {
  for (const Message& without : {Message(), with("b", {1}), example(entry("a", {})), example(entry("a", field(9, {})))})
    EXPECT_EQ(column({with("a", {1}), without, with("a", {2})}, list), (Column{Ints{1, 2}, {{0, 1, 1, 2}}}));
}

TEST(ExampleLists, MustBeWholeItems) {
  EXPECT_EQ(column({with("a", {1, 2, 3, 4}), with("a", {5, 6})}, pairs), (Column{Ints{1, 2, 3, 4, 5, 6}, {{0, 2, 3}}}));
  EXPECT_EQ(problem(with("a", {1, 2, 3}), pairs), "feature \"a\" has 3 values, which are no whole items of 2 at 9");
}

TEST(ExampleLists, ReadNumbersPackedTaggedAndInPieces) {
  const Message packed = field(1, varint(1) + varint(300));
  const Message list_twice = field(3, packed + tagged_int(-3)) + field(3, tagged_int(4) + packed);
  EXPECT_EQ(column({example(entry("a", list_twice))}, list), (Column{Ints{1, 300, -3, 4, 1, 300}, {{0, 6}}}));
  const Message floats = field(2, tagged_float(1.5f) + field(1, Message(8)));
  EXPECT_EQ(column({example(entry("a", floats))}, {.name = "a", .shape = Shape::list}),
            (Column{Floats{1.5f, 0, 0}, {{0, 3}}}));
}

TEST(ExampleLists, NameTheFeatureAndTheBadByte) {
  EXPECT_EQ(problem(example(entry("a", strings_feature({"x"}))), list),
            "feature \"a\" holds bytes values, and int64 was asked for; `carrack data convert` with --types a=int64 "
            "makes such records of CSV and of JSON lines at 9");
  EXPECT_EQ(problem(example(entry("a", field(3, tagged_int(5) + field(1, text("\x01\x80"))))), list),
            "feature \"a\" is malformed at 13");
  EXPECT_EQ(problem(example(entry("a", field(3, field(1, Message(10, std::byte{0x80}) + varint(0))))), list),
            "feature \"a\" is malformed at 11");
}

TEST(ExampleLists, ReplaceARowThatIsWrittenAgainAndFillSkippedRows) {
  ExampleParser parser({list, {.name = "b", .dtype = Dtype::int64, .shape = Shape::lists, .partitions = {{"n"}}}});
  std::vector<Column> columns = parser.columns(4);
  const auto record = [](const Ints& a, const Ints& b, const Ints& n) {
    return example(entry("a", ints_feature(a)) + entry("b", ints_feature(b)) + entry("n", ints_feature(n)));
  };
  ASSERT_FALSE(parser.parse(record({1}, {1, 2}, {2}), 0, columns));
  ASSERT_TRUE(parser.parse(record({2, 3}, {3, 4}, {1}), 1, columns));
  ASSERT_FALSE(parser.parse(record({4, 5}, {5, 6}, {1, 1}), 1, columns));
  ASSERT_FALSE(parser.parse(record({6}, {7}, {1}), 3, columns));
  EXPECT_EQ(columns[0], (Column{Ints{1, 4, 5, 6}, {{0, 1, 3, 3, 4}}}));
  EXPECT_EQ(columns[1], (Column{Ints{1, 2, 5, 6, 7}, {{0, 1, 3, 3, 4}, {0, 2, 3, 4, 5}}}));
}

TEST(ExamplePadding, MakesRowsAsLongAsTheLongest) {
  Feature padded{.name = "a", .dtype = Dtype::int64, .shape = Shape::padded, .default_values = Ints{-1}};
  EXPECT_EQ(column({with("a", {1}), with("a", {2, 3, 4}), Message(), with("a", {5, 6})}, padded),
            (Column{Ints{1, -1, -1, 2, 3, 4, -1, -1, -1, 5, 6, -1}, {{0, 1, 4, 4, 6}}, 3}));
  EXPECT_EQ(column({Message(), Message()}, padded), (Column{Ints{}, {{0, 0, 0}}, 0}));
  padded.count = 2;
  padded.default_values = std::nullopt;
  EXPECT_EQ(column({with("a", {1, 2}), with("a", {3, 4, 5, 6})}, padded),
            (Column{Ints{1, 2, 0, 0, 3, 4, 5, 6}, {{0, 1, 3}}, 2}));
  const Feature strings{.name = "a", .dtype = Dtype::bytes, .shape = Shape::padded, .default_values = Strings{"-"}};
  EXPECT_EQ(column({Message(), example(entry("a", strings_feature({"x"})))}, strings),
            (Column{Strings{"-", "x"}, {{0, 0, 1}}, 1}));
}

Message cut(const Ints& values, const Ints& lengths) {
  return example(entry("a", ints_feature(values)) + entry("n", ints_feature(lengths)));
}

TEST(ExamplePartitions, DivideAListByLengthsOrSplits) {
  const Feature by_lengths{.name = "a", .dtype = Dtype::int64, .shape = Shape::lists, .partitions = {{"n"}}};
  EXPECT_EQ(column({cut({1, 2, 3}, {1, 2}), cut({}, {}), Message(), cut({4}, {0, 1, 0})}, by_lengths),
            (Column{Ints{1, 2, 3, 4}, {{0, 2, 2, 2, 5}, {0, 1, 3, 3, 4, 4}}}));
  Feature by_splits = by_lengths;
  by_splits.partitions[0].kind = Partition::Kind::splits;
  EXPECT_EQ(column({cut({1, 2, 3}, {0, 1, 3}), cut({}, {}), cut({}, {0}), cut({4}, {0, 0, 1, 1})}, by_splits),
            (Column{Ints{1, 2, 3, 4}, {{0, 2, 2, 2, 5}, {0, 1, 3, 3, 4, 4}}}));
}

TEST(ExamplePartitions, NestAndMayBeSharedAndRequestedThemselves) {
  const Message record = example(entry("a", ints_feature({1, 2, 3, 4, 5, 6})) + entry("n", ints_feature({1, 0, 2})) +
                                 entry("m", ints_feature({2, 1})));
  const std::vector<Feature> asked = {
      {.name = "a", .dtype = Dtype::int64, .count = 2, .shape = Shape::lists, .partitions = {{"m"}, {"n"}}},
      {.name = "n", .dtype = Dtype::int64, .shape = Shape::lists, .partitions = {{"m"}}}};
  ExampleParser parser(asked);
  std::vector<Column> columns = parser.columns(1);
  ASSERT_FALSE(parser.parse(record, 0, columns));
  EXPECT_EQ(columns[0], (Column{Ints{1, 2, 3, 4, 5, 6}, {{0, 2}, {0, 2, 3}, {0, 1, 1, 3}}}));
  EXPECT_EQ(columns[1], (Column{Ints{1, 0, 2}, {{0, 2}, {0, 2, 3}}}));
}

TEST(ExamplePartitions, MustCoverTheWholeList) {
  Feature asked{.name = "a", .dtype = Dtype::int64, .shape = Shape::lists, .partitions = {{"n"}}};
  const std::string wrong = "feature \"n\" does not add up to the 3 items of feature \"a\" at 23";
  for (const Ints& lengths : {Ints{2}, Ints{3, 1}, Ints{4, -1}, Ints{INT64_MAX, INT64_MIN, 4}, Ints{}})
    EXPECT_EQ(problem(cut({1, 2, 3}, lengths), asked), wrong);
  EXPECT_EQ(problem(example(entry("a", ints_feature({1}))), asked),
            "feature \"n\" does not add up to the 1 items of feature \"a\" at 0");
  EXPECT_EQ(problem(example(entry("n", strings_feature({"x"}))), asked),
            "feature \"n\" holds bytes values, and int64 was asked for; `carrack data convert` with --types n=int64 "
            "makes such records of CSV and of JSON lines at 9");
  asked.partitions = {{"n"}, {"n"}};
  EXPECT_EQ(problem(cut({1, 2, 3}, {1, 2}), asked),
            "feature \"n\" does not add up to the 2 lists of feature \"a\" at 23");
  asked.partitions = {{"n", Partition::Kind::splits}};
  EXPECT_EQ(problem(cut({1, 2, 3}, {1, 3}), asked), "feature \"n\" does not begin with 0 at 23");
  for (const Ints& splits : {Ints{0, 2}, Ints{0, 4}, Ints{0, 2, 1, 3}, Ints{0, INT64_MIN, 3}, Ints{0}})
    EXPECT_EQ(problem(cut({1, 2, 3}, splits), asked), wrong);
}

}  // namespace
}  // namespace carrack::data
