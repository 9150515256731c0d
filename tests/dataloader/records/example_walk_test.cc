#include "dataloader/records/example_walk.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

using Walked = ExampleWalker::Message;

std::string text_of(const ValuesView& values) {
  std::string text;
  std::visit(
      [&](const auto& all) {
        for (const auto& value : all) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string_view>)
            text += " '" + std::string(value) + "'";
          else
            text += " " + std::to_string(value);
        }
      },
      values);
  return text;
}

// "name: 1 2; list: 1 | 2 3"
std::string walked(const Message& record) {
  ExampleWalker walker;
  const Walked message = walker.walk(record);
  if (message == Walked::other) return "other";
  std::string text = message == Walked::example ? "example" : "sequence";
  for (const WalkedFeature& feature : walker.features()) {
    text += " " + std::string(feature.name) + (feature.part == Part::feature_lists ? "[]" : "") + ":";
    text += feature.dtype ? text_of(feature.values) : " none";
    for (const std::size_t step : feature.steps) text += " /" + std::to_string(step);
  }
  return text;
}

Message step_list(const std::vector<Message>& steps) {
  Message list;
  for (const Message& step : steps) list = list + field(1, step);
  return list;
}

TEST(ExampleWalk, ListsAllFeaturesWithTheirValues) {
  const Message floats = field(2, tagged_float(1.5F) + tagged_float(2));
  EXPECT_EQ(walked(example(entry("s", strings_feature({"one", "two"})) + entry("i", ints_feature({300, -1})) +
                           entry("f", floats))),
            "example f: 1.500000 2.000000 i: 300 -1 s: 'one' 'two'");
  EXPECT_EQ(walked({}), "example");
}

TEST(ExampleWalk, ListsTheStepsOfAFeatureList) {
  const Message lists = entry("i", step_list({ints_feature({1}), {}, ints_feature({2, 3})})) + entry("none", {}) +
                        entry("empty", step_list({{}, {}}));
  EXPECT_EQ(walked(example(entry("c", ints_feature({7}))) + field(2, lists)),
            "sequence c: 7 empty[]: none /0 /0 i[]: 1 2 3 /1 /0 /2 none[]: none");
}

TEST(ExampleWalk, UsesTheLastFeatureWithAListForANameThatStandsTwice) {
  EXPECT_EQ(walked(example(entry("b", ints_feature({1})) + entry("a", ints_feature({2})) +
                           entry("b", ints_feature({3})) + entry("b", {}))),
            "example a: 2 b: 3");
  EXPECT_EQ(walked(example(entry("absent", {}))), "example");
  EXPECT_EQ(walked(example(entry("empty", ints_feature({})))), "example empty:");
}

TEST(ExampleWalk, SkipsFieldsOfUnknownNumbers) {
  const Message unknown = field(9, text("more"));
  EXPECT_EQ(walked(unknown + example(unknown + entry("i", unknown + ints_feature({1})))), "example i: 1");
}

TEST(ExampleWalk, RejectsWhatAParserRejects) {
  EXPECT_EQ(walked(text("one")), "other");
  EXPECT_EQ(walked(text("{\"x\": 1}")), "other");
  EXPECT_EQ(walked(example(text("id,x,y"))), "other");
  EXPECT_EQ(walked(varint(8) + varint(1)), "other");
  EXPECT_EQ(walked(example(entry("two", ints_feature({1}) + strings_feature({"a"})))), "other");
  EXPECT_EQ(walked(example(entry("cut", field(2, field(1, text("abc")))))), "other");
  EXPECT_EQ(walked(field(2, entry("mixed", step_list({ints_feature({1}), strings_feature({"a"})})))), "other");
  EXPECT_EQ(walked(example(entry("i", ints_feature({1}))) + text("\x0a\x05")), "other");
}

TEST(ExampleWalk, DoesNotDependOnTheRecordBefore) {
  ExampleWalker walker;
  walker.walk(example(entry("i", ints_feature({1, 2, 3}))));
  const Message second = example(entry("j", ints_feature({4})));
  EXPECT_EQ(walker.walk(second), Walked::example);
  ASSERT_EQ(walker.features().size(), 1U);
  EXPECT_EQ(walker.features()[0].name, "j");
  EXPECT_EQ(text_of(walker.features()[0].values), " 4");
}

}  // namespace
}  // namespace carrack::data
