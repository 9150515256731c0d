#include "trainer/look/record_check.h"

#include <gtest/gtest.h>

#include "tests/dataloader/images/encoded.h"
#include "tests/trainer/look/records.h"

namespace carrack::train {
namespace {

// The problem of one feature with one record, "FIELD: TEXT" without spec.data.features; empty if there is none.
std::string problem(const Feature& feature, const SomeValues& values = {}) {
  const std::vector<Feature> features{feature};
  RecordCheck check(features);
  EXPECT_TRUE(check.add("a.tfrecord: record 5", example_with(values)));
  const std::vector<LookProblem> problems = check.problems();
  if (problems.empty()) return "";
  const std::string begin = "spec.data.features.";
  EXPECT_EQ(problems[0].field.substr(0, begin.size()), begin);
  return problems[0].field.substr(begin.size()) + ": " + problems[0].text;
}

Feature image_feature() {
  return {.name = "text", .size = 75, .image = Image{.height = 5, .width = 5}};
}

std::string_view text_of(const data::Encoded& image) {
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

TEST(RecordCheck, AcceptsWhatTheManifestSays) {
  EXPECT_EQ(problem({.name = "x", .size = 2}), "");
  EXPECT_EQ(problem({.name = "n", .type = FeatureType::int64}), "");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::text, .buckets = 9}), "");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::text, .words = {"Oslo", "Rome"}}), "");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::uint8, .size = 4}), "");
  EXPECT_EQ(problem({.name = "x", .size = 2, .shape = std::vector<std::int64_t>{2, 1}}), "");
}

TEST(RecordCheck, NamesTheFeaturesThatRecordsHave) {
  EXPECT_EQ(problem({.name = "txt"}),
            "txt: a.tfrecord: record 5 has no such feature; it has n, text, x, y; did you mean 'text'?");
  EXPECT_EQ(problem({.name = "temperature"}),
            "temperature: a.tfrecord: record 5 has no such feature; it has n, text, x, y");
  const std::vector<Feature> features{{.name = "x"}};
  RecordCheck check(features);
  EXPECT_TRUE(check.add("a", {}));
  EXPECT_EQ(check.problems()[0].text, "a has no such feature; it has none");
}

TEST(RecordCheck, SaysWhichTypeThereIs) {
  EXPECT_EQ(
      problem({.name = "n"}),
      "n.type: is float32, but a.tfrecord: record 5 holds int64 values; write type: int64, or make such records of "
      "CSV or JSON lines: `carrack data convert` with --types n=float32");
  EXPECT_EQ(problem({.name = "x", .type = FeatureType::text, .buckets = 9}),
            "x.type: is text, but a.tfrecord: record 5 holds float32 values; write type: float32");
  EXPECT_EQ(
      problem({.name = "text"}),
      "text.type: is float32, but a.tfrecord: record 5 holds text, as \"Rome\"; write {type: text, buckets: 1000}");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::int64}, {.text = {}}),
            "text.type: is int64, but a.tfrecord: record 5 holds no value");
  EXPECT_EQ(problem({.name = "text", .size = 3}, {.text = {std::string_view("\0\1\2", 3)}}),
            "text.type: is float32, but a.tfrecord: record 5 holds as many bytes; write type: uint8");
  EXPECT_EQ(
      problem({.name = "text"}, {.text = {"\xff\xfe"}}),
      "text.type: is float32, but a.tfrecord: record 5 holds bytes that are no text and no image; a manifest names "
      "neither");
}

TEST(RecordCheck, SaysHowManyValuesThereAre) {
  EXPECT_EQ(problem({.name = "x", .size = 8}), "x.size: is 8, but a.tfrecord: record 5 holds 2 values; write size: 2");
  EXPECT_EQ(problem({.name = "x", .size = 512, .shape = std::vector<std::int64_t>{64, 8}}),
            "x.shape: is [64, 8], 512 values, but a.tfrecord: record 5 holds 2 values; write a shape of so many");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::uint8, .size = 784}),
            "text.size: is 784, but a.tfrecord: record 5 holds 4 bytes; write size: 4");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::text, .size = 2, .buckets = 9}),
            "text.size: is 2, but a.tfrecord: record 5 holds 1 value; write size: 1");
}

TEST(RecordCheck, CountsTheBytesOfAllValuesAsAJobDoes) {
  const SomeValues two{.text = {"Rome", "Po"}};
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::uint8, .size = 6}, two), "");
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::uint8, .size = 2}, two),
            "text.size: is 2, but a.tfrecord: record 5 holds 6 bytes; write size: 6");
}

TEST(RecordCheck, NamesAStringThatIsNoneOfTheWords) {
  EXPECT_EQ(problem({.name = "text", .type = FeatureType::text, .words = {"Oslo"}}),
            "text.words: a.tfrecord: record 5 holds \"Rome\", which is not one of them; add it, or set buckets for "
            "other words");
}

TEST(RecordCheck, DecodesImages) {
  const data::Encoded image = data::png_of({.height = 9, .width = 7});
  EXPECT_EQ(problem(image_feature(), {.text = {text_of(image)}}), "");
  EXPECT_EQ(
      problem(image_feature()),
      "text.image: a.tfrecord: record 5: the image cannot be decoded: it begins neither as a JPEG nor as a PNG does");
  const std::string cut = problem(image_feature(), {.text = {text_of(data::front(image, image.size() / 2))}});
  EXPECT_TRUE(cut.starts_with("text.image: a.tfrecord: record 5: the image cannot be decoded: ")) << cut;
  EXPECT_EQ(problem(image_feature(), {.text = {text_of(image), text_of(image)}}),
            "text.image: a.tfrecord: record 5 holds 2 values; an image is one value");
  EXPECT_EQ(problem({.name = "x", .size = 75, .image = Image{.height = 5, .width = 5}}),
            "x.image: a.tfrecord: record 5 holds float32 values, and no encoded image; leave `image` out");
  EXPECT_EQ(
      problem({.name = "text", .size = 63}, {.text = {text_of(image)}}),
      "text.type: is float32, but a.tfrecord: record 5 holds a PNG image; write {type: float32, image: {height: 9, "
      "width: 7}}");
}

TEST(RecordCheck, TakesNoMemoryForTheSizeOfAnImage) {
  Feature large = image_feature();
  large.image = Image{.height = 65'535, .width = 65'535};
  EXPECT_EQ(problem(large, {.text = {text_of(data::jpeg_of({.height = 9, .width = 7}))}}), "");
}

TEST(RecordCheck, HasOneProblemForEachFeatureOfTheFirstRecordThatHasIt) {
  const std::vector<Feature> features{{.name = "n"}, {.name = "x", .size = 2}};
  RecordCheck check(features);
  check.add("one", example_with({}));
  check.add("two", example_with({.x = {1}}));
  check.add("three", example_with({.x = {}}));
  const std::vector<LookProblem> problems = check.problems();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].field, "spec.data.features.n.type");
  EXPECT_EQ(problems[1], (LookProblem{"spec.data.features.x.size", "is 2, but two holds 1 value; write size: 1"}));
}

TEST(RecordCheck, KnowsWhatIsNoExample) {
  const std::vector<Feature> features{{.name = "x"}};
  RecordCheck check(features);
  EXPECT_FALSE(check.add("a", data::Bytes(20, std::byte{0xff})));
  EXPECT_TRUE(check.problems().empty());
}

}  // namespace
}  // namespace carrack::train
