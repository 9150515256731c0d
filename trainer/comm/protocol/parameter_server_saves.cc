// The cuts of a server: it takes a snapshot of its state for each, and saves one snapshot after the other.
#include <algorithm>

#include "dataloader/check.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/comm/protocol/wire_runs.h"
#include "trainer/points.h"

namespace carrack::train {

void ParameterServer::cut(const wire::Cut& message) {
  if (message.timeline() != timeline_ && is_sync()) return;
  const CrashPoint point("ps.cut_ordered");
  drop_cuts_not_in(message);
  if (const auto save = saves_.find(message.number()); save != saves_.end()) {
    if (!save->second) return;  // saved() reports the cut once it is saved
    wire::Message again;
    *again.mutable_saved() = *save->second;
    again.mutable_saved()->set_timeline(message.timeline());
    return send(coordinator_, std::move(again));
  }
  // Drops cuts for which nobody waits: those of an earlier coordinator, whose incarnation is the upper half of the
  // number of a cut, and in Sync those of a version that this server has passed.
  std::erase_if(ordered_, [&](const auto& other) {
    return other.first >> 32 < message.number() >> 32 || (is_sync() && other.second.version() < state_.version);
  });
  ordered_[message.number()] = message;
  limit_ = std::max(limit_, message.version());
  save_if_due();
  advance();
}

// Drops the cuts that are not in Cut.open, because the coordinator does not wait for them any more. Without this, the
// snapshots of a job whose workers come and go while its storage is slow would use more and more memory. A coordinator
// of an earlier release sends no list.
void ParameterServer::drop_cuts_not_in(const wire::Cut& message) {
  if (message.open().empty()) return;
  const auto is_dropped = [&](std::uint64_t number) {
    return std::ranges::find(message.open(), number) == message.open().end();
  };
  std::erase_if(ordered_, [&](const auto& cut) { return is_dropped(cut.first); });
  std::erase_if(snapshots_, [&](const BeginSave& save) { return is_dropped(save.cut.number()); });
  std::erase_if(saves_, [&](const auto& save) { return is_dropped(save.first); });
}

// Takes a snapshot for each ordered cut that is due: in Sync once its version is reached, in Async immediately.
void ParameterServer::save_if_due() {
  for (auto order = ordered_.begin(); order != ordered_.end();) {
    if (is_sync() && order->second.version() != state_.version) {
      ++order;
      continue;
    }
    saves_[order->first] = std::nullopt;
    snapshots_.push_back({order->second, state_});
    if (!is_sync()) report_snapshot(order->second);
    order = ordered_.erase(order);
  }
  begin_next_save();
}

// Reports which batches the snapshot for the cut has. The coordinator grants batches again once all servers have
// reported theirs, and need not wait until they have saved.
void ParameterServer::report_snapshot(const wire::Cut& cut) {
  wire::Message message;
  message.mutable_snapshotted()->set_timeline(cut.timeline());
  message.mutable_snapshotted()->set_number(cut.number());
  *message.mutable_snapshotted()->mutable_applied() = wire_from(state_.applied.list());
  send(coordinator_, std::move(message));
}

void ParameterServer::begin_next_save() {
  if (is_saving_ || snapshots_.empty()) return;
  is_saving_ = true;
  commands_.push_back(std::move(snapshots_.front()));
  snapshots_.pop_front();
}

ParameterServer::Commands ParameterServer::saved(wire::Saved saved) {
  CHECK(is_saving_);
  const CrashPoint point("ps.saved");
  is_saving_ = false;
  begin_next_save();
  const auto save = saves_.find(saved.number());
  if (save == saves_.end()) return take_commands();  // a load or a later cut has dropped it
  save->second = saved;
  wire::Message message;
  *message.mutable_saved() = std::move(saved);
  if (coordinator_ != 0) send(coordinator_, std::move(message));
  return take_commands();
}

}  // namespace carrack::train
