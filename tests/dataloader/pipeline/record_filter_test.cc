#include "dataloader/pipeline/snapshots/record_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dataloader/records/example_problems.h"
#include "dataloader/records/example_writer.h"

namespace carrack::data {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

std::vector<std::byte> record(const std::vector<float>& floats, const std::vector<std::int64_t>& wholes) {
  const NamedValues values[] = {{"x", std::span<const float>(floats)}, {"n", std::span<const std::int64_t>(wholes)}};
  return example_of(values);
}

std::variant<bool, Mismatch> kept(const std::vector<FeatureBounds>& filters, std::span<const std::byte> record) {
  return RecordFilter(filters).keeps(record);
}

bool are_kept(const std::vector<float>& floats, std::optional<double> min, std::optional<double> max) {
  const Feature feature{"x", Dtype::float32, floats.size()};
  return std::get<bool>(kept({{feature, min, max}}, record(floats, {0})));
}

bool is_kept(std::int64_t whole, std::optional<double> min, std::optional<double> max) {
  return std::get<bool>(kept({{{"n", Dtype::int64}, min, max}}, record({0}, {whole})));
}

TEST(RecordFilter, KeepsWhatLiesWithinItsBoundsAndOnThem) {
  EXPECT_TRUE(is_kept(0, 0, 9));
  EXPECT_TRUE(is_kept(9, 0, 9));
  EXPECT_FALSE(is_kept(-1, 0, 9));
  EXPECT_FALSE(is_kept(10, 0, 9));
  EXPECT_TRUE(is_kept(7, 7, 7));
  EXPECT_FALSE(is_kept(8, 7, 7));
  EXPECT_TRUE(is_kept(5, 4.5, {}));
  EXPECT_FALSE(is_kept(4, 4.5, {}));
  EXPECT_TRUE(is_kept(-1000, {}, -0.5));
  EXPECT_FALSE(is_kept(0, {}, -0.5));
  EXPECT_TRUE(are_kept({0.5F}, 0.5, 0.5));
  EXPECT_FALSE(are_kept({0.5F}, 0.51, {}));
}

TEST(RecordFilter, KeepsARecordOfWhichAllValuesLieWithin) {
  EXPECT_TRUE(are_kept({1, 2, 3}, 1, 3));
  EXPECT_FALSE(are_kept({1, 4, 3}, 1, 3));
  EXPECT_FALSE(are_kept({1, 2, nan}, 1, 3));
}

TEST(RecordFilter, NeverKeepsWhatIsNoNumber) {
  EXPECT_FALSE(are_kept({nan}, 0, {}));
  EXPECT_FALSE(are_kept({nan}, {}, 0));
  EXPECT_FALSE(are_kept({nan}, -1e300, 1e300));
}

TEST(RecordFilter, TakesABoundOfAFloatForTheNearestThatThereIs) {
  EXPECT_TRUE(are_kept({0.1F}, {}, 0.1)) << "0.1F is more than 0.1";
  EXPECT_TRUE(are_kept({0.7F}, 0.7, {})) << "0.7F is less than 0.7";
  EXPECT_FALSE(are_kept({std::nextafter(0.1F, 1.0F)}, {}, 0.1));
  EXPECT_TRUE(are_kept({std::numeric_limits<float>::max()}, {}, 1e300));
  EXPECT_FALSE(are_kept({infinite}, {}, 1e300));
  EXPECT_TRUE(are_kept({infinite}, 0, {}));
  EXPECT_FALSE(are_kept({-infinite}, -1e300, {}));
}

TEST(RecordFilter, ComparesWholeNumbersExactly) {
  constexpr std::int64_t exact = 9'007'199'254'740'992;  // 2^53
  EXPECT_TRUE(is_kept(exact, {}, exact));
  EXPECT_FALSE(is_kept(exact + 1, {}, exact));
  EXPECT_FALSE(is_kept(-exact - 1, -exact, {}));
  EXPECT_FALSE(is_kept(std::numeric_limits<std::int64_t>::max(), 0x1.0p63, {}));
  EXPECT_TRUE(is_kept(std::numeric_limits<std::int64_t>::min(), -0x1.0p63, {}));
}

TEST(RecordFilter, AsksForTheNextFeatureOnlyOfWhatIsKeptSoFar) {
  const FeatureBounds whole{{"n", Dtype::int64}, 1, {}}, missing{{"z", Dtype::int64}, 1, {}};
  EXPECT_EQ(std::get<bool>(kept({whole, missing}, record({}, {0}))), false);
  EXPECT_EQ(std::get<Mismatch>(kept({whole, missing}, record({}, {1}))).message, "there is no feature \"z\"");
  EXPECT_EQ(std::get<bool>(kept({}, record({}, {}))), true);
}

TEST(RecordFilter, SaysOfOtherRecordsWhatIsWrong) {
  const FeatureBounds whole{{"n", Dtype::int64}, 1, {}};
  const std::byte none[] = {std::byte{0xff}, std::byte{7}};
  EXPECT_EQ(std::get<Mismatch>(RecordFilter({whole}).keeps(none)).offset, 0u);
  EXPECT_THAT(std::get<Mismatch>(kept({whole}, record({}, {1, 2}))).message, testing::HasSubstr("feature \"n\""));
  RecordFilter filter({whole});
  EXPECT_TRUE(std::holds_alternative<Mismatch>(filter.keeps(record({}, {}))));
  EXPECT_EQ(std::get<bool>(filter.keeps(record({}, {1}))), true) << "what was wrong is forgotten";
}

TEST(BoundsInWords, AreDifferentWhereTheyAre) {
  const std::string floats = name_of(Dtype::float32);
  EXPECT_EQ(canonical({{"label", Dtype::int64}, 0, 9}), "label int64, from 0 to 9");
  EXPECT_EQ(canonical({{"x y", Dtype::float32, 3}, {}, 0.1}), "x y " + floats + "[3], to 0.1");
  EXPECT_EQ(canonical({{"x", Dtype::float32}, -1e-7, {}}), "x " + floats + ", from -1e-07");
}

}  // namespace
}  // namespace carrack::data
