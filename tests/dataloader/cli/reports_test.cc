#include <gtest/gtest.h>

#include <cmath>

#include "dataloader/cli/output.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/cli/summary/problems.h"
#include "dataloader/cli/summary/table.h"
#include "dataloader/error.h"
#include "tests/dataloader/records/example_messages.h"

namespace carrack::data::cli {
namespace {

Summary summary_of(const std::vector<Message>& records) {
  Summary summary;
  ExampleWalker walker;
  for (std::size_t i = 0; i < records.size(); ++i) summary.add("x.tfrecord", i, records[i], walker);
  return summary;
}

Message floats_feature(const Floats& values) {
  Message list;
  for (const float value : values) list = list + tagged_float(value);
  return field(2, list);
}

TEST(ManifestFeatures, ListFeaturesThatAManifestCanName) {
  const Message record = example(entry("x", floats_feature({1, 2, 3})) + entry("image/class/label", ints_feature({1})) +
                                 entry("y", floats_feature({1})) + entry("No", floats_feature({1})) +
                                 entry("1st", ints_feature({1})) + entry("a b\"", ints_feature({1})));
  EXPECT_EQ(manifest_features(summary_of({record})), R"(data:
  features:
    "1st": {type: int64}
    "No": {type: float32}
    "a b\"": {type: int64}
    image/class/label: {type: int64}
    x: {type: float32, size: 3}
    "y": {type: float32}
)");
}

TEST(ManifestFeatures, SayWhyOtherFeaturesCannotBeNamed) {
  const Message both = entry("two", ints_feature({1})) + entry("many", ints_feature({1}));
  const Message first = example(both + entry("absent", ints_feature({1})) + entry("s", strings_feature({"a"})) +
                                entry("none", ints_feature({})) + entry("\xff", ints_feature({1})) +
                                entry("a\tb", ints_feature({1})) + entry("\x7f", ints_feature({1})) +
                                entry("", ints_feature({1})) + entry(std::string(257, 'n'), ints_feature({1})));
  const Message second = example(entry("two", floats_feature({1})) + entry("many", ints_feature({1, 2, 3})) +
                                 entry("s", strings_feature({"a"})) + entry("none", ints_feature({})));
  const Message steps = field(2, entry("l", field(1, ints_feature({1}))));
  EXPECT_EQ(manifest_features(summary_of({first, second + steps})), R"(data:
  features:
    s: {type: text, words: [a]}
    # "": the name is empty
    # "a\tb": the name holds control characters
    # "absent": is absent from 1 record; each has to have it, and convert --fill gives it one
    # "many": has 1 to 3 values; a manifest names a fixed number
    # ")" + std::string(257, 'n') + R"(": the name has more than 256 characters
    # "none": has no values
    # "two": is of several types
    # "\u007f": the name holds control characters
    # "\\xff": the name is not UTF-8
    # "l": is a feature list; a manifest names no sequences
)");
}

TEST(ManifestFeatures, NameTextByItsWordsOrByBuckets) {
  std::vector<Message> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(example(entry("few", strings_feature({i % 2 == 0 ? "on" : "b c", ""})) +
                              entry("tabs", strings_feature({"a\tb"})) +
                              entry("many", strings_feature({"word " + std::to_string(i)}))));
  }
  EXPECT_EQ(manifest_features(summary_of(records)), R"(data:
  features:
    few: {type: text, size: 2, words: ["", "b c", "on"]}
    many: {type: text, buckets: 200}
    tabs: {type: text, buckets: 10}
)");
}

std::string png_of(char height, char width) {
  return std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0", 19) + width + std::string(3, '\0') + height;
}

TEST(ManifestFeatures, NameImagesOfOneSize) {
  const std::string low = png_of(8, 12), high = png_of(9, 12), gif("GIF89a\1\0\1\0", 10);
  const auto record = [&](const std::string& changing) {
    return example(entry("one", strings_feature({low})) + entry("two", strings_feature({low, low})) +
                   entry("sizes", strings_feature({changing == gif ? low : changing})) +
                   entry("kinds", strings_feature({changing})));
  };
  EXPECT_EQ(manifest_features(summary_of({record(low), record(high), record(gif)})), R"(data:
  features:
    one: {type: float32, image: {height: 8, width: 12}}
    # "kinds": is bytes, of which a manifest names text, JPEGs, PNGs and raw pixels (uint8)
    # "sizes": has images of several sizes; name one, as in {type: float32, image: {height: 224, width: 224}}
    # "two": has several images; a manifest names one
)");
}

TEST(Problems, NameTheFeatureAndTheReason) {
  std::vector<Message> records;
  for (int i = 0; i < 4; ++i) {
    records.push_back(example(entry("nan", floats_feature({i == 1 ? NAN : static_cast<float>(i)})) +
                              entry("large", ints_feature({(std::int64_t{1} << 24) + i})) +
                              entry("constant", floats_feature({7})) +
                              entry("digits", strings_feature({i == 0 ? "3.5" : "-1e3"})) +
                              (i == 0 ? entry("few", ints_feature({1})) : Message()) +
                              entry("mixed", i == 0 ? ints_feature({1}) : floats_feature({2, 3}))));
  }
  records.push_back(text("one"));
  const std::vector<std::string> expected = {
      "1 of 5 records are no tf.Example; the first is x.tfrecord: record 4",
      "constant: has the same value throughout; a model learns nothing from it",
      "digits: holds numbers as text, such as [\"3.5\"]; write them as float32 or int64",
      "few: is absent from 3 of 4 records",
      "large: 3 of 4 values are beyond 16,777,216 (2^24); as float32 they are rounded",
      "mixed: is float32 or int64; a feature has one type",
      "nan: 1 of 4 values are NaN or infinite; a loss that meets one is, too",
  };
  EXPECT_EQ(find_problems(summary_of(records)), expected);
  EXPECT_EQ(find_problems(summary_of({example(entry("x", floats_feature({1, 2})))})), std::vector<std::string>());
}

TEST(Progress, IsFormattedAsABarWithTheTimeLeft) {
  EXPECT_EQ(format_progress(1'200'000'000, 3'000'000'000, 3),
            "[############..................] 1.2 GB of 3.0 GB, 400.0 MB/s, 5 s left");
  EXPECT_EQ(format_progress(0, 100, 1), "[..............................] 0 bytes of 100 bytes, 0 bytes/s");
  EXPECT_EQ(format_progress(100, 100, 1), "[##############################] 100 bytes of 100 bytes, 100 bytes/s");
  EXPECT_EQ(format_progress(0, 0, 1), "0 bytes, 0 bytes/s");
  EXPECT_EQ(describe_throughput(3'000'000, 2), "3.0 MB in 2.0 s, 1.5 MB/s");
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(table({{"a", "bb", "c"}, {"äää", "", "d"}, {"x"}}), "a    bb  c\näää      d\nx\n");
}

TEST(Output, NamesItsShards) {
  const Output one = parse_output("gs://b/x.y.tfrecord.gz", {});
  EXPECT_EQ(one.compression, Compression::gzip);
  EXPECT_EQ(one.name(0, 1), "gs://b/x.y.tfrecord.gz");
  EXPECT_EQ(one.name(3, 10), "gs://b/x.y-00003-of-00010.tfrecord.gz");
  EXPECT_EQ(parse_output("train", {}).name(0, 2), "train-00000-of-00002");
  EXPECT_EQ(parse_output("x.tfrecords", Compression::zlib).compression, Compression::zlib);
  EXPECT_EQ(parse_output("x.tfrecord.zlib", {}).compression, Compression::zlib);
  EXPECT_TRUE(parse_output("x.jsonl", {}).json_lines);
  EXPECT_FALSE(parse_output("jsonl", {}).json_lines);
  for (const std::string plain : {"train-00000-of-00010", "x.tfrecord-00000-of-00010", "train.2026", "x.v2", "x.tfrec",
                                  "out.json/train", ".train", "gs://my.bucket/train"})
    EXPECT_EQ(parse_output(plain, {}).name(0, 1), plain);
  EXPECT_EQ(parse_output("train.gz", {}).compression, Compression::gzip);
}

TEST(Output, RefusesNamesThatCannotBeWritten) {
  const auto refused = [](const std::string& to, const std::optional<Compression>& compression) -> std::string {
    try {
      parse_output(to, compression);
    } catch (const Refused& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("x*", {}), "--to: x*: names no single file");
  EXPECT_EQ(refused("x/", {}), "--to: x/: is the name of a folder; write the name of a file");
  EXPECT_EQ(refused("x.jsonl.gz", {}), "--to: x.jsonl.gz: JSON lines are written without compression");
  EXPECT_EQ(refused("x.jsonl", Compression::gzip), "--to: x.jsonl: JSON lines are written without compression");
  for (const auto& [to, ending] : std::vector<std::pair<std::string, std::string>>{{"q4.json", ".json"},
                                                                                   {"x.csv", ".csv"},
                                                                                   {"x.csv.gz", ".csv"},
                                                                                   {"gs://b/q4.parquet", ".parquet"},
                                                                                   {"l3.npz", ".npz"},
                                                                                   {"x.jsonl.7z", ".7z"},
                                                                                   {"q4.tfrecord.zst", ".zst"}})
    EXPECT_EQ(refused(to, {}), "--to: " + to + ": " + ending +
                                   " is not written; TFRecords are, which end in .tfrecord or .tfrecords, and with .gz "
                                   "or .zlib if compressed, and JSON lines, which end in .jsonl or .ndjson");
}

}  // namespace
}  // namespace carrack::data::cli
