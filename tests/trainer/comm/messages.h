// A job of one worker and two servers, to be led through it message by message.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/frame.h"

namespace carrack::train {

constexpr PeerId first_server = 1, second_server = 2, worker = 3;
constexpr Instant start{};

inline CoordinatorSettings settings(bool sync, std::optional<std::uint64_t> batches = 100) {
  return {.job_uid = "job",
          .attempt = 0,
          .incarnation = 1,
          .servers = 2,
          .workers_max = 8,
          .lanes = 4,
          .sync = sync,
          .total_batches = batches,
          .batches_per_cut = 10,
          .cut_interval_min = std::chrono::milliseconds(0),
          .order = {"carrack-order v2 files=2", "two files"}};
}

inline Coordinator coordinator(bool sync, std::optional<std::uint64_t> batches = 100) {
  return Coordinator(settings(sync, batches), {});
}

inline wire::Message hello(wire::Role role, std::uint32_t index) {
  wire::Message message;
  message.mutable_hello()->set_job_uid("job");
  message.mutable_hello()->set_role(role);
  message.mutable_hello()->set_index(index);
  message.mutable_hello()->set_incarnation(1);
  message.mutable_hello()->set_protocol(protocol_number);
  return message;
}

// Both servers and one worker are in, and nothing is done yet; the timeline is what they trained in. `incarnation` is
// the coordinator's.
inline std::uint64_t begin(Coordinator& job, std::uint64_t incarnation = 1) {
  std::uint64_t timeline = 0;
  for (const PeerId server : {first_server, second_server}) {
    job.received(server, hello(wire::PS, static_cast<std::uint32_t>(server - 1)), start);
  }
  for (const PeerId server : {first_server, second_server}) {
    wire::Message loaded;
    loaded.mutable_loaded()->set_timeline((incarnation << 32) + 1);
    job.received(server, loaded, start);
  }
  for (const Command& command : job.received(worker, hello(wire::WORKER, 0), start)) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_assignment()) timeline = sent->message.assignment().timeline();
  }
  return timeline;
}

inline wire::Message leaving(std::uint64_t timeline, std::uint64_t version) {
  wire::Message message;
  message.mutable_leaving()->set_timeline(timeline);
  message.mutable_leaving()->set_version(version);
  return message;
}

inline wire::Message applied(std::uint64_t timeline, std::uint64_t version) {
  wire::Message message;
  message.mutable_applied()->set_timeline(timeline);
  message.mutable_applied()->set_batch(version);
  return message;
}

inline wire::Message finished(std::uint64_t timeline, std::uint64_t batch) {
  wire::Message message;
  message.mutable_finished()->set_timeline(timeline);
  message.mutable_finished()->set_batch(batch);
  return message;
}

inline wire::Message saved(const wire::Cut& cut, std::vector<BatchRun> applied) {
  wire::Message message;
  message.mutable_saved()->set_timeline(cut.timeline());
  message.mutable_saved()->set_number(cut.number());
  *message.mutable_saved()->mutable_applied() = wire_from(applied);
  return message;
}

inline wire::Message snapshotted(const wire::Cut& cut, std::vector<BatchRun> applied) {
  wire::Message message;
  message.mutable_snapshotted()->set_timeline(cut.timeline());
  message.mutable_snapshotted()->set_number(cut.number());
  *message.mutable_snapshotted()->mutable_applied() = wire_from(applied);
  return message;
}

// By server.
inline std::map<PeerId, std::uint64_t> limits(const Commands& commands) {
  std::map<PeerId, std::uint64_t> all;
  for (const Command& command : commands) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_limit()) all[sent->peer] = sent->message.limit().version();
  }
  return all;
}

inline std::vector<std::uint64_t> grants(const Commands& commands) {
  std::vector<std::uint64_t> all;
  for (const Command& command : commands) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_grant()) all.push_back(sent->message.grant().batches(0));
  }
  return all;
}

// By server.
inline std::map<PeerId, wire::Cut> cuts(const Commands& commands) {
  std::map<PeerId, wire::Cut> all;
  for (const Command& command : commands) {
    const auto* sent = std::get_if<SendTo>(&command);
    if (sent != nullptr && sent->message.has_cut()) all[sent->peer] = sent->message.cut();
  }
  return all;
}

// Sync: both servers apply the steps between these versions. Returns the cut of the first server that was ordered last.
inline wire::Cut apply_steps(Coordinator& job, std::uint64_t timeline, std::uint64_t from, std::uint64_t to) {
  wire::Cut last;
  for (std::uint64_t version = from + 1; version <= to; ++version) {
    for (const PeerId server : {first_server, second_server}) {
      const auto ordered = cuts(job.received(server, applied(timeline, version), start));
      if (!ordered.empty()) last = ordered.at(first_server);
    }
  }
  return last;
}

// Ticks every second behind `from`, up to `to`. Returns what the last one commands.
inline Commands tick_until(Coordinator& job, Instant from, Instant to) {
  Commands last;
  for (Instant now = from + std::chrono::seconds(1); now <= to; now += std::chrono::seconds(1)) last = job.tick(now);
  return last;
}

inline const WriteCommit* commit(const Commands& commands) {
  for (const Command& command : commands) {
    if (const auto* write = std::get_if<WriteCommit>(&command)) return write;
  }
  return nullptr;
}

}  // namespace carrack::train
