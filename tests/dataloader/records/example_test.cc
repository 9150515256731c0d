#include "dataloader/records/example.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/error.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Message = std::vector<std::byte>;
using Strings = std::vector<std::string_view>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int64_t>;

// A message with one delimited field.
Message field(std::uint32_t id, const Message& content) {
  Message made;
  wire::append_delimited(made, id, content);
  return made;
}

Message text(std::string_view content) {
  return {wire::bytes_of(content).begin(), wire::bytes_of(content).end()};
}

Message operator+(Message left, const Message& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Message varint(std::uint64_t number) {
  Message made;
  wire::append_varint(made, number);
  return made;
}

Message entry(std::string_view name, const Message& feature) {
  return field(1, field(1, text(name)) + field(2, feature));
}
Message example(const Message& entries) {
  return field(1, entries);
}

// Lists within a feature, packed and with a tag a value.
Message packed_ints(const Ints& values) {
  Message numbers;
  for (const std::int64_t value : values) wire::append_varint(numbers, static_cast<std::uint64_t>(value));
  return field(3, field(1, numbers));
}
Message tagged_int(std::int64_t value) {
  return varint(8) + varint(static_cast<std::uint64_t>(value));
}
Message tagged_float(float value) {
  Message made;
  wire::append_tag(made, 1, wire::Type::fixed32);
  append_number(made, std::bit_cast<std::uint32_t>(value));
  return made;
}

// What one feature "a" gives, or the problem and where it is.
template <typename Values>
std::variant<Values, std::string> parsed(const Message& record, Dtype dtype, std::size_t count) {
  ExampleParser parser({{"a", dtype, count}});
  std::vector<Column> columns = parser.columns(1);
  if (const auto mismatch = parser.parse(record, 0, columns))
    return mismatch->what + " at " + std::to_string(mismatch->offset);
  return std::get<Values>(columns[0]);
}

Ints ints(const Message& record, std::size_t count) {
  return std::get<Ints>(parsed<Ints>(record, Dtype::int64, count));
}
Floats floats(const Message& record, std::size_t count) {
  return std::get<Floats>(parsed<Floats>(record, Dtype::float32, count));
}
std::string problem(const Message& record, std::size_t count = 1) {
  return std::get<std::string>(parsed<Ints>(record, Dtype::int64, count));
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
  EXPECT_EQ(std::get<Ints>(columns[0]), counts);
  EXPECT_EQ(std::get<Strings>(columns[1]), names);
  EXPECT_EQ(std::get<Floats>(columns[2]), weights);
}

TEST(Example, FillsItsRowAndNoOther) {
  ExampleParser parser({{"a", Dtype::int64, 2}});
  std::vector<Column> columns = parser.columns(3);
  ASSERT_FALSE(parser.parse(example(entry("a", packed_ints({7, 8}))), 1, columns));
  EXPECT_EQ(std::get<Ints>(columns[0]), (Ints{0, 0, 7, 8, 0, 0}));
}

TEST(Example, FindsFeaturesInWhateverOrderEachRecordHasThem) {
  const Message a = entry("a", packed_ints({1}));
  const Message b = entry("b", packed_ints({2}));
  const Message other = entry("other", field(2, {}));
  ExampleParser parser({{"a", Dtype::int64, 1}, {"b", Dtype::int64, 1}});
  for (const Message& entries : {a + b, b + a, other + a + b, a + other + b, b + b + a, a + b}) {
    std::vector<Column> columns = parser.columns(1);
    ASSERT_FALSE(parser.parse(example(entries), 0, columns));
    EXPECT_EQ(std::get<Ints>(columns[0]), Ints{1});
    EXPECT_EQ(std::get<Ints>(columns[1]), Ints{2});
  }
}

TEST(Example, TakesNumbersPackedAndNotAndInPieces) {
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

TEST(Example, TakesTheLastOfFeaturesWithOneName) {
  const Message wrong = entry("a", field(2, tagged_float(1)));
  const Message right = entry("a", packed_ints({5}));
  EXPECT_EQ(ints(example(entry("a", packed_ints({1, 2, 3})) + right), 1), Ints{5});
  EXPECT_EQ(ints(example(wrong + right), 1), Ints{5});
  EXPECT_EQ(ints(example(wrong) + example(right), 1), Ints{5});
  EXPECT_EQ(ints(example(right + entry("a", {})), 1), Ints{5});
  EXPECT_EQ(problem(example(right + wrong)), "feature \"a\" holds float values, and int64 was asked for at 21");
}

TEST(Example, SkipsFieldsThatItDoesNotKnow) {
  const Message unknown = field(9, text("new")) + varint(10 << 3) + varint(300);
  const Message feature = unknown + field(3, unknown + tagged_int(4)) + unknown;
  const Message one = unknown + field(2, feature) + unknown + field(1, text("a")) + unknown;
  EXPECT_EQ(ints(unknown + example(unknown + field(1, one)) + unknown, 1), Ints{4});
}

TEST(Example, NamesTheFeatureThatIsNotThere) {
  EXPECT_EQ(problem({}), "there is no feature \"a\" at 0");
  EXPECT_EQ(problem(example(entry("b", packed_ints({1})))), "there is no feature \"a\" at 0");
  EXPECT_EQ(problem(example(entry("a", {}))), "there is no feature \"a\" at 0");
  EXPECT_EQ(problem(example(entry("a", field(9, {})))), "there is no feature \"a\" at 9");
}

TEST(Example, NamesTheFeatureOfAnotherKindOrCount) {
  EXPECT_EQ(problem(example(entry("a", field(1, field(1, text("x")))))),
            "feature \"a\" holds bytes values, and int64 was asked for at 9");
  EXPECT_EQ(problem(example(entry("a", packed_ints({}))), 2), "feature \"a\" has 0 values, and 2 were asked for at 9");
  EXPECT_EQ(problem(example(entry("a", packed_ints({1, 2, 3}))), 2),
            "feature \"a\" has 3 values, and 2 were asked for at 9");
  EXPECT_EQ(problem(example(entry("a", packed_ints({1}) + field(2, tagged_float(1))))),
            "feature \"a\" holds values of two kinds at 9");
}

TEST(Example, SaysWhatIsMalformed) {
  EXPECT_EQ(problem(text("\x0a\x05"
                         "abc")),
            "it is no tf.Example at 0");
  EXPECT_EQ(problem(example(entry("b", {})) + text("\xff")), "it is no tf.Example at 9");
  EXPECT_EQ(problem(example(field(1, text("\x0a\x09"
                                          "a")))),
            "it is no tf.Example at 0");
  EXPECT_EQ(problem(example(entry("a", field(3, field(1, text("\xff")))))), "feature \"a\" is malformed at 9");
  EXPECT_EQ(problem(example(entry("a", text("\x1a\x7f")))), "feature \"a\" is malformed at 9");
  EXPECT_EQ(problem(example(entry("a", varint(3 << 3) + varint(1)))), "feature \"a\" is malformed at 9");
  const auto floats_of_three_bytes =
      parsed<Floats>(example(entry("a", field(2, field(1, text("abc"))))), Dtype::float32, 1);
  EXPECT_EQ(std::get<std::string>(floats_of_three_bytes), "feature \"a\" is malformed at 9");
}

TEST(Example, RefusesToBeAskedForNonsense) {
  const auto refusal = [](std::vector<Feature> features) -> std::string {
    try {
      ExampleParser parser(std::move(features));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({{"a", Dtype::int64, 1}, {"a", Dtype::float32, 1}}), "feature \"a\" is asked for twice");
  EXPECT_EQ(refusal({{"a", Dtype::int64, 0}}), "feature \"a\" is asked for with no values");
}

TEST(Wire, RefusesAVarintOfElevenBytesAndFieldsThatCannotBe) {
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
