#include "dataloader/cli/summary/record_json.h"

#include <gtest/gtest.h>

#include "tests/dataloader/records/example_messages.h"

namespace carrack::data::cli {
namespace {

std::string json(const Message& record) {
  ExampleWalker walker;
  return record_json(record, walker);
}
std::string shown(const Message& record) {
  ExampleWalker walker;
  return record_text(record, walker);
}

Message example_of_one(std::string_view name, const ValuesView& values) {
  const NamedValues named{name, values};
  return data::example_of({&named, 1});
}

const Floats floats = {1.5F, 2};
const Ints ints = {300, -1};
const Strings strings = {"text \"x\"", std::string_view("\xff\0", 2)};

TEST(RecordJson, WritesAnExampleAsItsFeatures) {
  const NamedValues values[] = {{"s", strings}, {"i", ints}, {"f", floats}};
  EXPECT_EQ(json(data::example_of(values)),
            R"({"f": [1.5, 2.0], "i": [300, -1], "s": ["text \"x\"", {"base64": "/wA="}]})");
  EXPECT_EQ(shown(data::example_of(values)), R"(  "features": {
    "f": [1.5, 2.0],
    "i": [300, -1],
    "s": ["text \"x\"", "\\xff\\x00"]
  })");
  EXPECT_EQ(json({}), "{}");
  EXPECT_EQ(shown({}), "  \"features\": {}");
}

TEST(RecordJson, WritesASequenceExampleAsContextAndFeatureLists) {
  const ValuesView steps[] = {std::span<const std::int64_t>(ints), std::span<const std::int64_t>()};
  const NamedValues context{"c", floats};
  const NamedSteps list{"l", steps};
  const Message record = data::sequence_example_of({&context, 1}, {&list, 1});
  EXPECT_EQ(json(record), R"({"context": {"c": [1.5, 2.0]}, "feature_lists": {"l": [[300, -1], []]}})");
  EXPECT_EQ(shown(record), R"(  "context": {
    "c": [1.5, 2.0]
  },
  "feature_lists": {
    "l": [[300, -1], []]
  })");
}

TEST(RecordJson, WritesAnyOtherRecordAsItsBytes) {
  EXPECT_EQ(json(text("one")), R"({"data": "one"})");
  EXPECT_EQ(json(text("\xff")), R"({"data": {"base64": "/w=="}})");
  EXPECT_EQ(shown(text("\xff")), R"(  "data": "\\xff")");
}

TEST(RecordJson, CutsLongListsAndBytesForPeople) {
  EXPECT_EQ(shown(example_of_one("i", Ints(1010, 7))), R"(  "features": {
    "i": [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, "... 1,000 more"]
  })");
  const std::string umlauts = "x" + std::string(100, '\xc3');  // No character is cut in the middle.
  std::string text;
  for (int i = 0; i < 60; ++i) text += "ä";
  EXPECT_EQ(values_text(Strings{"x" + text}, 3).substr(89), "ääääää... 22 more bytes\"]");
  EXPECT_EQ(values_text(Strings{umlauts}, 3),
            R"(["x\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3\\xc3... 85 more bytes"])");
  EXPECT_EQ(values_text(Ints{1, 2, 3, 4}, 3), R"([1, 2, 3, "... 1 more"])");
}

TEST(RecordJson, DescribesImagesForPeople) {
  const std::string_view gif("GIF89a\x0a\x00\x14\x00", 10);
  EXPECT_EQ(values_text(Strings{gif}, 3), R"(["GIF 10x20, 10 bytes"])");
}

TEST(RecordJson, EscapesNamesThatAreNotUtf8) {
  EXPECT_EQ(json(example(entry("\xff", ints_feature({1})))), R"({"\\xff": [1]})");
}

}  // namespace
}  // namespace carrack::data::cli
