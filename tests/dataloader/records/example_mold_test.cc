// A parser that knows a record's form says of every other record what one says that has seen none.
#include "dataloader/records/repeated_layout.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "dataloader/records/example_parser.h"
#include "dataloader/records/example_writer.h"
#include "tests/dataloader/records/example_messages.h"

namespace carrack::data {
namespace {

const std::vector<Feature> asked = {
    {"weights", Dtype::float32, 3}, {"label", Dtype::int64, 2}, {"name", Dtype::bytes, 1}};

Message record_of(const Floats& weights, const Ints& label, std::string_view name) {
  const Strings names = {name};
  const std::vector<NamedValues> features = {
      {"label", std::span(label)}, {"name", std::span(names)}, {"weights", std::span(weights)}};
  return example_of(features);
}

struct Result {
  std::vector<Column> columns = {};  // where there is no problem
  std::string problem = {};
  bool operator==(const Result&) const = default;
};

Result result_of(ExampleParser& parser, const Message& record) {
  std::vector<Column> columns = parser.columns(1);
  if (const auto mismatch = parser.parse(record, 0, columns))
    return {.problem = mismatch->message + " at " + std::to_string(mismatch->offset)};
  return {.columns = std::move(columns)};
}

Result fresh(const Message& record) {
  ExampleParser parser(asked);
  return result_of(parser, record);
}

const Message learned = record_of({1, -2, 3.5f}, {7, 127}, "seven");

TEST(RepeatedLayoutParser, ReadsRecordsThatDifferOnlyInNumbers) {
  ExampleParser parser(asked);
  result_of(parser, learned);
  std::vector<Column> columns = parser.columns(3);
  const Message other = record_of({0, 9e37f, -0.25f}, {0, 126}, "eight");
  const Message* records[] = {&learned, &learned, &other};
  for (const std::size_t row : {0u, 2u, 1u}) ASSERT_FALSE(parser.parse(*records[row], row, columns));
  EXPECT_EQ(std::get<Floats>(columns[0].values), (Floats{1, -2, 3.5f, 1, -2, 3.5f, 0, 9e37f, -0.25f}));
  EXPECT_EQ(std::get<Ints>(columns[1].values), (Ints{7, 127, 7, 127, 0, 126}));
  EXPECT_EQ(std::get<Strings>(columns[2].values), (Strings{"seven", "seven", "eight"}));
}

TEST(RepeatedLayoutParser, NoticesEachChangedByte) {
  ExampleParser knowing(asked);
  result_of(knowing, learned);
  for (std::size_t i = 0; i < learned.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      Message record = learned;
      record[i] = static_cast<std::byte>(value);
      ExampleParser parser = knowing;
      const Result result = result_of(parser, record), expected = fresh(record);
      ASSERT_EQ(result.problem, expected.problem) << "byte " << i << " = " << value;
      ASSERT_TRUE(result == expected) << "byte " << i << " = " << value;
    }
  }
}

TEST(RepeatedLayoutParser, LeavesRecordsOfOtherLengthsToTheParser) {
  ExampleParser parser(asked);
  for (int round = 0; round < 50; ++round) {
    for (const Message& record : {learned, record_of({1, 2, 3}, {300, 1}, "seven"), record_of({1, 2, 3}, {1, -1}, ""),
                                  record_of({1, 2, 3}, {5, 6}, "a longer name"), record_of({1, 2}, {5, 6}, "seven"),
                                  Message(), Message(learned.begin(), learned.end() - 1), learned + field(2, {})})
      ASSERT_TRUE(result_of(parser, record) == fresh(record)) << round;
  }
}

TEST(RepeatedLayoutParser, LearnsFewerAndFewerRecords) {
  RepeatedLayoutParser mold;
  const Message record(100);
  int learned_records = 0;
  for (int i = 0; i < 1000; ++i) learned_records += mold.should_learn(record) ? 1 : 0;
  EXPECT_EQ(learned_records, 10);
  EXPECT_FALSE(RepeatedLayoutParser().should_learn(Message(100'000)));
}

TEST(RepeatedLayoutParser, FitsTheLearnedRecordAndNoLongerInts) {
  RepeatedLayoutParser mold;
  Message record(10);
  std::vector<Column> columns(1);
  columns[0].values = Ints(2);
  EXPECT_FALSE(mold.fill(record, 0, columns));
  mold.learn(record, {{.offset = 4, .size = 2, .column = 0, .fixed = std::byte{0x80}}});
  record[5] = std::byte{0x7f};
  EXPECT_TRUE(mold.fill(record, 0, columns));
  EXPECT_EQ(std::get<Ints>(columns[0].values), (Ints{0, 127}));
  record[5] = std::byte{0x80};
  EXPECT_FALSE(mold.fill(record, 0, columns));
  mold.learn(record, {{.offset = 4, .size = 2, .column = 0, .fixed = std::byte{0x80}}});
  EXPECT_FALSE(mold.fill(record, 0, columns));
}

}  // namespace
}  // namespace carrack::data
