#include "trainer/comm/protocol/worker.h"

#include <algorithm>

#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t newest_version = ~std::uint64_t{0};

}  // namespace

Worker::Worker(bool sync, int lanes, std::vector<ServerRange> ranges, std::size_t size)
    : sync_(sync), all_lanes_(lanes), ranges_(std::move(ranges)), parameters_(size) {}

void Worker::coordinator_is(PeerId peer) {
  const CrashPoint point("worker.coordinator_is");
  coordinator_ = peer;
}

Worker::Commands Worker::received(PeerId from, Frame frame) {
  const wire::Message& message = frame.message;
  if (from == coordinator_) {
    if (message.has_assignment()) assigned(message.assignment());
    if (message.has_grant()) granted(message.grant());
    return taken();
  }
  for (auto& [index, server] : servers_) {
    if (server.peer != from) continue;
    if (message.has_parameters()) parameters_came(index, message.parameters(), std::move(frame.tail));
    if (message.has_applied()) applied(index, message.applied());
    break;
  }
  return taken();
}

Worker::Commands Worker::connected(std::uint32_t server, PeerId peer) {
  const CrashPoint point("worker.connected");
  servers_.at(server).peer = peer;
  begin();
  return taken();
}

Worker::Commands Worker::closed(PeerId peer) {
  const CrashPoint point("worker.closed");
  if (peer == coordinator_) {
    // Its successor grants anew; what was pushed meanwhile is applied once, whoever pushes it again.
    coordinator_ = 0;
    leases_.clear();
  }
  for (auto& [index, server] : servers_) {
    if (server.peer != peer) continue;
    server.peer = 0;
    server.version.reset();
    commands_.push_back(Connect{index, server.address, server.incarnation});
  }
  return taken();
}

void Worker::assigned(const wire::Assignment& message) {
  if (static_cast<std::size_t>(message.servers_size()) != ranges_.size()) {
    throw Error(Blame::bug, "an assignment names another number of servers than the job has");
  }
  const CrashPoint point("worker.assigned");
  if (message.timeline() != timeline_) {
    leases_.clear();
    for (auto& [index, server] : servers_) server.newest = 0;
  }
  timeline_ = message.timeline();
  if (message.total_batches() != 0) total_ = message.total_batches();
  lanes_ = Range{message.first_lane(), message.first_lane() + message.lane_count()};
  for (const wire::Server& told : message.servers()) {
    if (told.index() >= ranges_.size()) throw Error(Blame::bug, "an assignment names a server that the job has not");
    Server& server = servers_[told.index()];
    server.version.reset();
    if (server.address == told.address() && server.incarnation == told.incarnation()) continue;
    if (server.peer != 0) commands_.push_back(Disconnect{std::exchange(server.peer, 0)});
    server.address = told.address();
    server.incarnation = told.incarnation();
    commands_.push_back(Connect{told.index(), server.address, server.incarnation});
  }
  begin();
}

void Worker::granted(const wire::Grant& message) {
  if (message.timeline() != timeline_ || leaving_) return;
  const CrashPoint point("worker.granted");
  const bool idle = leases_.empty();
  for (const std::uint64_t batch : message.batches()) leases_.push_back(batch);
  if (idle) begin();
}

bool Worker::all_servers_here() const {
  const auto here = [](const auto& server) { return server.second.peer != 0; };
  return !servers_.empty() && std::all_of(servers_.begin(), servers_.end(), here);
}

void Worker::begin() {
  if (!has_work()) {
    const bool can_say = coordinator_ != 0 || timeline_ == 0;  // Before its first assignment it has nothing to say.
    if (leaving_ && !computing_ && can_say) say_leaving(0);
    return;
  }
  if (!all_servers_here()) return;
  begin_again_ = computing_.has_value();
  if (begin_again_) return;
  pushed_ = false;
  for (auto& [index, server] : servers_) {
    server.acknowledged = false;
    want(server, newest_version);
  }
}

void Worker::want(Server& server, std::uint64_t version) {
  server.version.reset();
  wire::Message message;
  message.mutable_want()->set_timeline(timeline_);
  message.mutable_want()->set_version(version);
  send(server.peer, std::move(message));
}

void Worker::parameters_came(std::uint32_t index, const wire::Parameters& message, std::vector<float> values) {
  if (sync_ && message.timeline() != timeline_) return;
  if (values.size() != ranges_.at(index).size) throw Error(Blame::bug, "a server sent another range than its own");
  const CrashPoint point("worker.parameters_came");
  Server& server = servers_.at(index);
  server.values = std::move(values);
  server.version = message.version();
  server.newest = std::max(server.newest, message.version());
  compute_if_ready();
}

// Sync: whether what came is of one version; asks again where it is not.
bool Worker::versions_agree() {
  std::uint64_t least = newest_version;
  std::uint64_t most = 0;
  for (const auto& [index, server] : servers_) {
    least = std::min(least, *server.version);
    most = std::max(most, *server.version);
  }
  // One server may be a step ahead, where a worker died between its pushes: the step it has done is still to be done
  // elsewhere, and it keeps the parameters from before. Two steps apart is news that is late: ask again.
  for (auto& [index, server] : servers_) {
    if (most - least > 1) {
      want(server, newest_version);
    } else if (server.version != least) {
      want(server, least);
    }
  }
  return least == most;
}

// Sync: whether a server has done this step that the others have not; what it was asked for last may be from before.
bool Worker::must_mend(std::uint64_t batch) const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [&](const auto& server) { return server.second.newest > batch; });
}

void Worker::compute_if_ready() {
  const auto came = [](const auto& server) { return server.second.peer != 0 && server.second.version; };
  if (computing_ || pushed_ || !std::all_of(servers_.begin(), servers_.end(), came)) return;
  if (!has_work() || (sync_ && !versions_agree())) return;
  const std::uint64_t batch = sync_ ? *servers_.begin()->second.version : leases_.front();
  if (leaving_ && sync_ && !must_mend(batch) && coordinator_ != 0) return say_leaving(batch);
  if (batch >= total_) return;
  for (const auto& [index, server] : servers_) {
    std::copy(server.values.begin(), server.values.end(),
              parameters_.begin() + static_cast<std::ptrdiff_t>(ranges_.at(index).begin));
  }
  computing_ = batch;
  computing_timeline_ = timeline_;
  commands_.push_back(Compute{batch, sync_ ? lanes_ : Range{0, all_lanes_}});
}

Worker::Commands Worker::computed(const std::vector<Gradient>& gradients) {
  const CrashPoint point("worker.computed");
  const std::uint64_t batch = *std::exchange(computing_, std::nullopt);
  const bool again = std::exchange(begin_again_, false);
  const bool stale = computing_timeline_ != timeline_ || (!sync_ && (leases_.empty() || leases_.front() != batch));
  if (stale || !all_servers_here()) {
    begin();
    return taken();
  }
  records_ = 0;
  loss_ = 0;
  for (const Gradient& gradient : gradients) {
    records_ += gradient.records;
    loss_ += gradient.loss;
  }
  for (auto& [index, server] : servers_) {
    for (const Gradient& gradient : gradients) push(server, ranges_.at(index), batch, gradient);
    if (sync_ && !again) want(server, batch + 1);
  }
  pushed_ = !sync_;
  if (sync_ && (again || !has_work())) begin();  // There may be other lanes of the same batch to do.
  return taken();
}

Worker::Commands Worker::ended(std::uint64_t total) {
  const CrashPoint point("worker.ended");
  total_ = total;
  computing_.reset();
  if (std::exchange(begin_again_, false)) begin();
  compute_if_ready();
  return taken();
}

Worker::Commands Worker::leave() {
  const CrashPoint point("worker.leave");
  leaving_ = true;
  leases_.resize(std::min<std::size_t>(leases_.size(), 1));
  if (!has_work()) begin();
  return taken();
}

Worker::Commands Worker::leave_at_once() {
  say_leaving(0);
  return taken();
}

void Worker::say_leaving(std::uint64_t version) {
  wire::Message message;
  message.mutable_leaving()->set_timeline(timeline_);
  message.mutable_leaving()->set_version(version);
  if (coordinator_ != 0) send(coordinator_, std::move(message));
  commands_.push_back(Leave{});
}

void Worker::push(Server& server, ServerRange range, std::uint64_t batch, const Gradient& gradient) {
  wire::Message message;
  wire::Push& push = *message.mutable_push();
  push.set_timeline(timeline_);
  push.set_batch(batch);
  push.set_first_lane(static_cast<std::uint32_t>(gradient.lanes.begin));
  push.set_lane_count(static_cast<std::uint32_t>(gradient.lanes.size));
  push.set_records(gradient.records);
  push.set_loss(gradient.loss);
  push.set_first_pass(gradient.first_pass);
  send(server.peer, std::move(message), Tail{gradient.sum, std::span(*gradient.sum).subspan(range.begin, range.size)});
}

void Worker::applied(std::uint32_t index, const wire::Applied& message) {
  if (message.timeline() != timeline_ || leases_.empty() || message.batch() != leases_.front()) return;
  {
    const CrashPoint point("worker.applied");
    servers_.at(index).acknowledged = true;
  }
  const auto there = [](const auto& server) { return server.second.acknowledged; };
  if (!std::all_of(servers_.begin(), servers_.end(), there)) return;
  const CrashPoint point("worker.finished");
  wire::Message report;
  report.mutable_finished()->set_timeline(timeline_);
  report.mutable_finished()->set_batch(leases_.front());
  report.mutable_finished()->set_loss(loss_);
  report.mutable_finished()->set_records(records_);
  if (coordinator_ != 0) send(coordinator_, std::move(report));
  leases_.pop_front();
  begin();
}

void Worker::send(PeerId peer, wire::Message message, Tail tail) {
  commands_.push_back(Send{peer, std::move(message), std::move(tail)});
}

}  // namespace carrack::train
