#include "dataloader/records/example.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/error.h"
#include "dataloader/records/example_parser.h"
#include "dataloader/records/example_writer.h"
#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

Ints ints(const Message& record, std::size_t count) {
  return std::get<Ints>(column({record}, {"a", Dtype::int64, count}).values);
}
Floats floats(const Message& record, std::size_t count) {
  return std::get<Floats>(column({record}, {"a", Dtype::float32, count}).values);
}
std::string int_problem(const Message& record, std::size_t count = 1) {
  return problem(record, {"a", Dtype::int64, count});
}

TEST(Example, RoundTripsEveryKindOfValue) {
  const Strings names = {"", "tangent", std::string_view("\0\xff", 2)};
  const Floats weights = {0.0f, -1.5f, 3.25e38f};
  const Ints counts = {0, 127, 128, -1, INT64_MAX, INT64_MIN};
  const std::vector<NamedValues> features = {
      {"names", std::span(names)}, {"weights", std::span(weights)}, {"counts", std::span(counts)}};
  const Message record = example_of(features);
  ExampleParser parser({{"counts", Dtype::int64, 6}, {"names", Dtype::bytes, 3}, {"weights", Dtype::float32, 3}});
  std::vector<Column> columns = parser.columns(1);
  ASSERT_FALSE(parser.parse(record, 0, columns));
  EXPECT_EQ(std::get<Ints>(columns[0].values), counts);
  EXPECT_EQ(std::get<Strings>(columns[1].values), names);
  EXPECT_EQ(std::get<Floats>(columns[2].values), weights);
}

TEST(Example, WritesOnlyItsRow) {
  ExampleParser parser({{"a", Dtype::int64, 2}});
  std::vector<Column> columns = parser.columns(3);
  ASSERT_FALSE(parser.parse(example(entry("a", ints_feature({7, 8}))), 1, columns));
  EXPECT_EQ(std::get<Ints>(columns[0].values), (Ints{0, 0, 7, 8, 0, 0}));
}

TEST(Example, FindsFeaturesInAnyOrder) {
  const Message a = entry("a", ints_feature({1}));
  const Message b = entry("b", ints_feature({2}));
  const Message other = entry("other", field(2, {}));
  ExampleParser parser({{"a", Dtype::int64, 1}, {"b", Dtype::int64, 1}});
  for (const Message& entries : {a + b, b + a, other + a + b, a + other + b, b + b + a, a + b}) {
    std::vector<Column> columns = parser.columns(1);
    ASSERT_FALSE(parser.parse(example(entries), 0, columns));
    EXPECT_EQ(std::get<Ints>(columns[0].values), Ints{1});
    EXPECT_EQ(std::get<Ints>(columns[1].values), Ints{2});
  }
}

TEST(Example, ReadsNumbersPackedTaggedAndInPieces) {
  const Message one_two = field(1, varint(1) + varint(2));
  EXPECT_EQ(ints(example(entry("a", field(3, one_two + tagged_int(-3)))), 3), (Ints{1, 2, -3}));
  EXPECT_EQ(ints(example(entry("a", field(3, tagged_int(-3) + one_two))), 3), (Ints{-3, 1, 2}));
  EXPECT_EQ(ints(example(entry("a", field(3, one_two + one_two))), 4), (Ints{1, 2, 1, 2}));
  EXPECT_EQ(ints(example(entry("a", field(3, one_two) + field(3, one_two))), 4), (Ints{1, 2, 1, 2}));
  Message two(4);
  two[3] = std::byte{0x40};
  EXPECT_EQ(floats(example(entry("a", field(2, tagged_float(1.5f) + field(1, two)))), 2), (Floats{1.5f, 2.0f}));
  EXPECT_EQ(floats(example(entry("a", field(2, field(1, two) + tagged_float(1.5f)))), 2), (Floats{2.0f, 1.5f}));
}

TEST(Example, UsesTheLastOfFeaturesWithOneName) {
  const Message wrong = entry("a", field(2, tagged_float(1)));
  const Message right = entry("a", ints_feature({5}));
  EXPECT_EQ(ints(example(entry("a", ints_feature({1, 2, 3})) + right), 1), Ints{5});
  EXPECT_EQ(ints(example(wrong + right), 1), Ints{5});
  EXPECT_EQ(ints(example(wrong) + example(right), 1), Ints{5});
  EXPECT_EQ(ints(example(right + entry("a", {})), 1), Ints{5});
  EXPECT_EQ(int_problem(example(right + wrong)),
            "feature \"a\" holds float32 values, and int64 was asked for; `carrack data convert` with --types a=int64 "
            "makes such records of CSV and of JSON lines at 21");
}

TEST(Example, SkipsUnknownFields) {
  const Message unknown = field(9, text("new")) + varint(10 << 3) + varint(300);
  const Message feature = unknown + field(3, unknown + tagged_int(4)) + unknown;
  const Message one = unknown + field(2, feature) + unknown + field(1, text("a")) + unknown;
  EXPECT_EQ(ints(unknown + example(unknown + field(1, one)) + unknown, 1), Ints{4});
}

TEST(Example, NamesTheMissingFeature) {
  EXPECT_EQ(int_problem({}), "there is no feature \"a\" at 0");
  EXPECT_EQ(int_problem(example(entry("b", ints_feature({1})))), "there is no feature \"a\" at 0");
  EXPECT_EQ(int_problem(example(entry("a", {}))), "there is no feature \"a\" at 0");
  EXPECT_EQ(int_problem(example(entry("a", field(9, {})))), "there is no feature \"a\" at 9");
}

TEST(Example, NamesTheFeatureOfAnotherTypeOrCount) {
  EXPECT_EQ(int_problem(example(entry("a", field(1, field(1, text("x")))))),
            "feature \"a\" holds bytes values, and int64 was asked for; `carrack data convert` with --types a=int64 "
            "makes such records of CSV and of JSON lines at 9");
  EXPECT_EQ(int_problem(example(entry("a", ints_feature({}))), 2), "feature \"a\" has 0 values, and 2 are needed at 9");
  EXPECT_EQ(int_problem(example(entry("a", ints_feature({1, 2, 3}))), 2),
            "feature \"a\" has 3 values, and 2 are needed at 9");
  EXPECT_EQ(int_problem(example(entry("a", ints_feature({1}) + field(2, tagged_float(1))))),
            "feature \"a\" holds values of two kinds at 14");
}

TEST(Example, NamesWhatIsMalformed) {
  EXPECT_EQ(int_problem(text("\x0a\x05"
                             "abc")),
            "it is not a tf.Example at 0");
  EXPECT_EQ(int_problem(example(entry("b", {})) + text("\xff")), "it is not a tf.Example at 9");
  EXPECT_EQ(int_problem(example(field(1, text("\x0a\x09"
                                              "a")))),
            "it is not a tf.Example at 4");
  EXPECT_EQ(int_problem(example(entry("a", field(3, field(1, text("\xff")))))), "feature \"a\" is malformed at 11");
  EXPECT_EQ(int_problem(example(entry("a", text("\x1a\x7f")))), "feature \"a\" is malformed at 9");
  EXPECT_EQ(int_problem(example(entry("a", varint(3 << 3) + varint(1)))), "feature \"a\" is malformed at 9");
  EXPECT_EQ(problem(example(entry("a", field(2, field(1, text("abc"))))), {"a", Dtype::float32}),
            "feature \"a\" is malformed at 11");
}

TEST(Example, UsesTheDefaultForAMissingFeature) {
  const Feature asked{.name = "a", .dtype = Dtype::int64, .count = 2, .default_values = Ints{7, 8}};
  const Message good = example(entry("a", ints_feature({1, 2})));
  for (const Message& without : {Message(), example({}), example(entry("b", ints_feature({1, 2}))),
                                 example(entry("a", {})), example(entry("a", field(9, {})))}) {
    EXPECT_EQ(column({good, without, good}, asked).values, Values(Ints{1, 2, 7, 8, 1, 2}));
  }
  EXPECT_EQ(problem(example(entry("a", ints_feature({}))), asked), "feature \"a\" has 0 values, and 2 are needed at 9");
  EXPECT_EQ(problem(example(entry("a", ints_feature({1}))), asked),
            "feature \"a\" has 1 values, and 2 are needed at 9");
  EXPECT_EQ(column({{}}, {.name = "a", .dtype = Dtype::bytes, .default_values = Strings{"none"}}).values,
            Values(Strings{"none"}));
  EXPECT_EQ(column({{}}, {.name = "a", .default_values = Floats{0.5f}}).values, Values(Floats{0.5f}));
}

TEST(Example, ReplacesARowThatIsWrittenAgain) {
  ExampleParser parser({{"a", Dtype::int64, 1}});
  std::vector<Column> columns = parser.columns(1);
  ASSERT_TRUE(parser.parse(example(entry("a", ints_feature({1, 2}))), 0, columns));
  ASSERT_FALSE(parser.parse(example(entry("a", ints_feature({3}))), 0, columns));
  EXPECT_EQ(columns[0].values, Values(Ints{3}));
}

// A parser that expects each entry, as it has seen it before, and one that has seen nothing yet.
TEST(Example, DoesNotDependOnTheRecordsBefore) {
  const std::vector<Feature> asked = {{"i", Dtype::int64, 1},
                                      {"two", Dtype::int64, 2},
                                      {"f", Dtype::float32, 2},
                                      {"s", Dtype::bytes, 1},
                                      {"a name of more than 13 bytes", Dtype::int64, 1}};
  const Message good = example(
      entry("i", ints_feature({300})) + entry("two", ints_feature({1, -1})) + entry("unasked", strings_feature({"x"})) +
      entry("f", field(2, field(1, Message(8)))) + entry("s", strings_feature({"text"})) +
      entry("a name of more than 13 bytes", ints_feature({5})) + entry("i", ints_feature({7})));
  ExampleParser expecting(asked);
  std::vector<Column> columns = expecting.columns(2);
  ASSERT_FALSE(expecting.parse(good, 0, columns));
  int mismatches = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Message record = good;
    record[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    ExampleParser expects_all = expecting, expects_nothing(asked);
    std::vector<Column> found = columns, plainly = columns;
    const auto mismatch = expects_all.parse(record, 1, found), plain = expects_nothing.parse(record, 1, plainly);
    ASSERT_EQ(mismatch.has_value(), plain.has_value()) << bit;
    if (mismatch) {
      ASSERT_EQ(std::pair(mismatch->message, mismatch->offset), std::pair(plain->message, plain->offset)) << bit;
      ++mismatches;
    } else {
      ASSERT_EQ(found, plainly) << bit;
    }
  }
  EXPECT_GT(mismatches, 200);
  EXPECT_LT(mismatches, static_cast<int>(8 * good.size()) - 200);
}

TEST(Wire, RefusesLongVarintsAndInvalidFields) {
  const auto malformed = [](const Message& message) {
    wire::Reader reader(message);
    while (reader.next()) continue;
    return reader.malformed();
  };
  EXPECT_FALSE(malformed(varint(8) + varint(~std::uint64_t{0})));
  EXPECT_TRUE(malformed(varint(8) + Message(10, std::byte{0x80}) + varint(0)));
  EXPECT_TRUE(malformed(varint(0) + varint(1)));           // field 0
  EXPECT_TRUE(malformed(varint(std::uint64_t{1} << 32)));  // a field above those that can be
  EXPECT_TRUE(malformed(varint(8 | 3)));                   // a group
  EXPECT_TRUE(malformed(varint(8 | 7)));                   // no type
  EXPECT_TRUE(malformed(varint(8 | 5) + Message(3)));      // cut
  EXPECT_TRUE(malformed(varint(8 | 2) + varint(2) + Message(1)));
}

}  // namespace
}  // namespace carrack::data
