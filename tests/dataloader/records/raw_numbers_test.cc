#include "dataloader/records/raw_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

Message with(const Message& bytes) {
  return example(entry("a", field(1, field(1, bytes))));
}

template <typename Number>
Message bytes_of(const LargeVector<Number>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

template <typename Number>
Values decoded(const LargeVector<Number>& numbers, Raw raw, Dtype dtype) {
  return column({with(bytes_of(numbers))}, {.name = "a", .dtype = dtype, .count = numbers.size(), .raw = raw}).values;
}

TEST(RawNumbers, OfEachWholeTypeBecomeInt64) {
  EXPECT_EQ(decoded(LargeVector<std::uint8_t>{0, 1, 255}, Raw::uint8, Dtype::int64), Values(Ints{0, 1, 255}));
  EXPECT_EQ(decoded(LargeVector<std::int8_t>{0, -1, -128}, Raw::int8, Dtype::int64), Values(Ints{0, -1, -128}));
  EXPECT_EQ(decoded(LargeVector<std::uint16_t>{65535}, Raw::uint16, Dtype::int64), Values(Ints{65535}));
  EXPECT_EQ(decoded(LargeVector<std::int16_t>{-32768}, Raw::int16, Dtype::int64), Values(Ints{-32768}));
  EXPECT_EQ(decoded(LargeVector<std::uint32_t>{UINT32_MAX}, Raw::uint32, Dtype::int64), Values(Ints{UINT32_MAX}));
  EXPECT_EQ(decoded(LargeVector<std::int32_t>{INT32_MIN}, Raw::int32, Dtype::int64), Values(Ints{INT32_MIN}));
  EXPECT_EQ(decoded(Ints{INT64_MIN, 5}, Raw::int64, Dtype::int64), Values(Ints{INT64_MIN, 5}));
}

TEST(RawNumbers, OfEachTypeBecomeFloat) {
  EXPECT_EQ(decoded(LargeVector<std::uint8_t>{255}, Raw::uint8, Dtype::float32), Values(Floats{255}));
  EXPECT_EQ(decoded(LargeVector<std::int32_t>{(1 << 24) + 1}, Raw::int32, Dtype::float32), Values(Floats{1 << 24}));
  EXPECT_EQ(decoded(Ints{-3}, Raw::int64, Dtype::float32), Values(Floats{-3}));
  EXPECT_EQ(decoded(Floats{1.5f, -0.0f}, Raw::float32, Dtype::float32), Values(Floats{1.5f, -0.0f}));
  EXPECT_EQ(decoded(LargeVector<double>{0.1, 1e300}, Raw::float64, Dtype::float32),
            Values(Floats{0.1f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(decoded(LargeVector<std::uint16_t>{0x3f80, 0xc000}, Raw::bfloat16, Dtype::float32), Values(Floats{1, -2}));
}

TEST(RawNumbers, OfHalfPrecisionAreExact) {
  EXPECT_EQ(decoded(LargeVector<std::uint16_t>{0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x0400, 0x7c00, 0xfc00},
                    Raw::float16, Dtype::float32),
            Values(Floats{1, -2, 65504, 0x1p-24f, 0x1.ff8p-15f, 0x1p-14f, HUGE_VALF, -HUGE_VALF}));
  const auto odd = std::get<Floats>(decoded(LargeVector<std::uint16_t>{0x8000, 0x7e00}, Raw::float16, Dtype::float32));
  EXPECT_TRUE(odd[0] == 0 && std::signbit(odd[0]));
  EXPECT_TRUE(std::isnan(odd[1]));
}

TEST(RawNumbers, ComeInListsAndStepsAndSeveralStrings) {
  const Message two = example(entry("a", strings_feature({"\x01\x02", "", "\x03"})));
  EXPECT_EQ(column({two, Message()}, {.name = "a", .dtype = Dtype::int64, .shape = Shape::list, .raw = Raw::uint8}),
            (Column{Ints{1, 2, 3}, {{0, 3, 3}}}));
  const Message steps = field(2, entry("a", field(1, strings_feature({"\x01"})) + field(1, strings_feature({"\x02"}))));
  const Feature asked{
      .name = "a", .dtype = Dtype::int64, .shape = Shape::list, .part = Part::feature_lists, .raw = Raw::uint8};
  EXPECT_EQ(column({steps}, asked), (Column{Ints{1, 2}, {{0, 2}}}));
}

TEST(RawNumbers, MustBeWholeBytesAndAsManyAsRequested) {
  const Feature asked{.name = "a", .count = 2, .raw = Raw::float64};
  EXPECT_EQ(problem(with(Message(15)), asked), "feature \"a\" holds bytes that are no whole float64 numbers at 11");
  EXPECT_EQ(problem(with(Message(24)), asked), "feature \"a\" has 3 values, and 2 are needed at 9");
  EXPECT_EQ(problem(with(Message(8)), asked), "feature \"a\" has 1 values, and 2 are needed at 9");
  EXPECT_EQ(problem(example(entry("a", ints_feature({1, 2}))), asked),
            "feature \"a\" holds int64 values, and raw float64 was asked for at 9");
  EXPECT_EQ(problem(example(entry("a", field(1, tagged_int(1)))), asked), "feature \"a\" is malformed at 11");
}

}  // namespace
}  // namespace carrack::data
