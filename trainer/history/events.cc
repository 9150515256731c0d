#include "trainer/history/events.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "dataloader/records/frame.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::history {
namespace {

namespace wire = data::wire;
using Message = std::vector<std::byte>;

// The fields of TensorBoard's Event message (TensorFlow's event.proto): 1 wall_time, 2 step, 3 file_version, 5 summary,
// 7 session_log.

void append_double(Message& to, std::uint32_t id, double value) {
  wire::append_tag(to, id, wire::Type::fixed64);
  data::append_number(to, std::bit_cast<std::uint64_t>(value));
}

void append_float(Message& to, std::uint32_t id, float value) {
  wire::append_tag(to, id, wire::Type::fixed32);
  data::append_number(to, std::bit_cast<std::uint32_t>(value));
}

// Returns an Event message with its wall_time.
Message event_at(double unix_seconds) {
  Message event;
  append_double(event, 1, unix_seconds);
  return event;
}

// Returns an Event message as a record of the file, with the length and checksums of a TFRecord.
std::string framed(const Message& event) {
  Message record;
  data::frame::append(record, event);
  return std::string(wire::text_of(record));
}

// Adds a Value message, with tag and simple_value, to a Summary message.
void add_scalar(Message& summary, std::string_view tag, double value) {
  Message scalar;
  wire::append_delimited(scalar, 1, wire::bytes_of(tag));
  append_float(scalar, 2, static_cast<float>(value));
  wire::append_delimited(summary, 1, scalar);
}

Message summary_of(const TrainingPoint& point) {
  Message summary;
  add_scalar(summary, "loss", point.loss);
  add_scalar(summary, "records_per_second", point.records_per_second);
  add_scalar(summary, "epoch", static_cast<double>(point.epoch));
  return summary;
}

Message summary_of(const EvaluationPoint& point) {
  Message summary;
  for (const auto& [name, value] : point.metrics) add_scalar(summary, "evaluation/" + name, value);
  return summary;
}

Message event_of_step(std::uint64_t step, double unix_seconds) {
  Message event = event_at(unix_seconds);
  wire::append_tag(event, 2, wire::Type::varint);
  wire::append_varint(event, step);
  return event;
}

template <class AnyPoint>
std::string event(const AnyPoint& point) {
  Message event = event_of_step(point.step, point.unix_seconds);
  wire::append_delimited(event, 5, summary_of(point));
  return framed(event);
}

}  // namespace

std::string event_file_name(double unix_seconds, const std::string& suffix) {
  constexpr std::size_t digits = 10;
  const std::string seconds = std::to_string(static_cast<std::int64_t>(std::max(std::floor(unix_seconds), 0.0)));
  return "events.out.tfevents." + std::string(digits - std::min(digits, seconds.size()), '0') + seconds + "." + suffix;
}

std::string event_file_start(double unix_seconds) {
  Message event = event_at(unix_seconds);
  wire::append_delimited(event, 3, wire::bytes_of("brain.Event:2"));
  return framed(event);
}

std::string event_of_restart(std::uint64_t step, double unix_seconds) {
  constexpr std::uint64_t start = 1;
  Message log;
  wire::append_tag(log, 1, wire::Type::varint);
  wire::append_varint(log, start);
  Message event = event_of_step(step, unix_seconds);
  wire::append_delimited(event, 7, log);
  return framed(event);
}

std::string event_of(const Point& point) {
  return std::visit([](const auto& one) { return event(one); }, point);
}

}  // namespace carrack::history
