#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

std::string refusal(std::vector<Feature> features) {
  try {
    ExampleParser parser(std::move(features));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ExampleAsked, RefusesANameTwiceAndNoValues) {
  EXPECT_EQ(refusal({{"a", Dtype::int64, 1}, {"a", Dtype::float32, 1}}), "feature \"a\" is asked for twice");
  EXPECT_EQ(refusal({{"a", Dtype::int64, 0}}), "feature \"a\" is asked for with no values");
  EXPECT_EQ(refusal({{.name = "a"}, {.name = "a", .shape = Shape::list, .part = Part::feature_lists}}), "");
}

TEST(ExampleAsked, RefusesDefaultsThatDoNotFit) {
  EXPECT_EQ(refusal({{.name = "a", .count = 2, .default_values = Floats{1}}}),
            "feature \"a\" has a default of 1 values, and 2 are needed");
  EXPECT_EQ(refusal({{.name = "a", .count = 2, .shape = Shape::padded, .default_values = Floats{1, 2}}}),
            "feature \"a\" has a default of 2 values, and 1 are needed");
  EXPECT_EQ(refusal({{.name = "a", .default_values = Ints{1}}}),
            "feature \"a\" has a default of another kind than float32");
  EXPECT_EQ(refusal({{.name = "a", .shape = Shape::list, .default_values = Floats{1}}}),
            "feature \"a\" has a default and is a list; what is missing is empty");
}

TEST(ExampleAsked, RefusesShapesThatTheRecordCannotHave) {
  EXPECT_EQ(refusal({{.name = "a", .part = Part::feature_lists}}),
            "feature list \"a\" is asked for as one item, and holds an item for each step");
  EXPECT_EQ(refusal({{.name = "a", .shape = Shape::lists, .part = Part::feature_lists, .partitions = {{"n"}}}}),
            "feature list \"a\" is asked for in partitions, and its steps are those");
  EXPECT_EQ(refusal({{.name = "a", .shape = Shape::list, .may_be_missing = true}}),
            "feature \"a\" may always be missing; that is to be said of feature lists only");
  const std::string partitions = "feature \"a\" is asked for as lists and without partitions, or the other way round";
  EXPECT_EQ(refusal({{.name = "a", .shape = Shape::lists}}), partitions);
  EXPECT_EQ(refusal({{.name = "a", .shape = Shape::list, .partitions = {{"n"}}}}), partitions);
}

TEST(ExampleAsked, RefusesRawNumbersThatTheColumnCannotHold) {
  EXPECT_EQ(refusal({{.name = "a", .dtype = Dtype::bytes, .raw = Raw::uint8}}),
            "feature \"a\" is asked for as raw numbers and as bytes");
  EXPECT_EQ(refusal({{.name = "a", .dtype = Dtype::int64, .raw = Raw::bfloat16}}),
            "feature \"a\" is asked for as int64 from raw bfloat16");
  EXPECT_EQ(refusal({{.name = "a", .dtype = Dtype::int64, .raw = Raw::uint32}}), "");
}

}  // namespace
}  // namespace carrack::data
