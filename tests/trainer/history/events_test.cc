#include "trainer/history/events.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/frame.h"
#include "dataloader/records/wire.h"

namespace carrack::history {
namespace {

namespace wire = data::wire;

// The message in the frame that all of the bytes are.
std::string message_in(const std::string& record) {
  const auto bytes = std::as_bytes(std::span(record));
  EXPECT_EQ(data::frame::fault_in(bytes, true), std::nullopt);
  return record.substr(data::frame::header_size, record.size() - data::frame::overhead);
}

std::map<std::uint32_t, wire::Field> fields_of(wire::View message) {
  std::map<std::uint32_t, wire::Field> fields;
  wire::Reader reader(message);
  while (const auto field = reader.next()) fields[field->id] = *field;
  EXPECT_FALSE(reader.malformed());
  return fields;
}

// The scalars of a Summary, by tag.
std::map<std::string, float> scalars_in(wire::View summary) {
  std::map<std::string, float> scalars;
  wire::Reader reader(summary);
  while (const auto value = reader.next()) {
    const auto fields = fields_of(value->bytes);
    scalars[std::string(wire::text_of(fields.at(1).bytes))] =
        std::bit_cast<float>(static_cast<std::uint32_t>(fields.at(2).number));
  }
  return scalars;
}

TEST(Events, BeginWithTheVersionOfTheFormat) {
  const std::string message = message_in(event_file_start(1764094505.25));
  const auto fields = fields_of(wire::bytes_of(message));
  EXPECT_EQ(std::bit_cast<double>(fields.at(1).number), 1764094505.25);
  EXPECT_EQ(wire::text_of(fields.at(3).bytes), "brain.Event:2");
}

TEST(Events, HaveAScalarForEachNumberOfTraining) {
  const std::string message = message_in(event_of(TrainingPoint{1U << 20, 3, 7.5, 0.25, 1000}));
  const auto fields = fields_of(wire::bytes_of(message));
  EXPECT_EQ(std::bit_cast<double>(fields.at(1).number), 7.5);
  EXPECT_EQ(fields.at(2).number, 1U << 20);
  const std::map<std::string, float> expected{{"loss", 0.25f}, {"records_per_second", 1000}, {"epoch", 3}};
  EXPECT_EQ(scalars_in(fields.at(5).bytes), expected);
}

TEST(Events, AreTheBytesThatTheFormatShows) {
  const std::string shown("\x09\0\0\0\0\0\0\0\x40\x10\x80\x01\x2a\x36\x0a\x0b\x0a\x04loss\x15\0\0\x80\x3e", 27);
  EXPECT_EQ(message_in(event_of(TrainingPoint{128, 0, 2, 0.25, 0})).substr(0, shown.size()), shown);
}

TEST(Events, HaveAScalarForEachMetricOfAnEvaluation) {
  const std::string message = message_in(event_of(EvaluationPoint{200, 1, 8, {{"loss", 0.5}, {"accuracy", 0.75}}}));
  const auto fields = fields_of(wire::bytes_of(message));
  EXPECT_EQ(fields.at(2).number, 200);
  const std::map<std::string, float> expected{{"evaluation/loss", 0.5f}, {"evaluation/accuracy", 0.75f}};
  EXPECT_EQ(scalars_in(fields.at(5).bytes), expected);
}

TEST(Events, TellThatTheRunGoesOnFromAnEarlierStep) {
  const std::string message = message_in(event_of_restart(120, 8));
  const auto fields = fields_of(wire::bytes_of(message));
  EXPECT_EQ(std::bit_cast<double>(fields.at(1).number), 8);
  EXPECT_EQ(fields.at(2).number, 120);
  const auto log = fields_of(fields.at(7).bytes);
  EXPECT_EQ(log.at(1).number, 1);  // SessionLog.status = START
}

TEST(Events, LieInAFileThatTensorBoardFindsByItsName) {
  EXPECT_EQ(event_file_name(1764094505.9, "carrack"), "events.out.tfevents.1764094505.carrack");
  EXPECT_EQ(event_file_name(7, "x"), "events.out.tfevents.0000000007.x");
}

}  // namespace
}  // namespace carrack::history
