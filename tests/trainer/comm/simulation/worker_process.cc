#include "tests/trainer/comm/simulation/members.h"
#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {
namespace {

constexpr Time leave_within = 2 * second;

std::uint64_t first_of(Range lanes) {
  return static_cast<std::uint64_t>(lanes.begin);
}

std::uint64_t end_of(Range lanes) {
  return static_cast<std::uint64_t>(lanes.end);
}

}  // namespace

WorkerProcess::WorkerProcess(World& world, Place place, std::uint32_t incarnation)
    : Member(world, place, incarnation),
      worker_(world.job().sync, static_cast<int>(world.job().lanes), world.job().ranges, world.job().records),
      job_(found_) {}

void WorkerProcess::start() {
  const Head& head = world_.store().head();
  if (found_.first_pass() && head.generation == 0) return later(50 * millisecond, [this] { start(); });
  if (found_.first_pass() && !head.first_pass) job_ = without_first_pass(job_);
  Member::start();
}

wire::Hello WorkerProcess::hello() const {
  wire::Hello hello = Member::hello();
  hello.set_leases(world_.job().leases);
  if (world_.job().workers_know_dealt_lanes) hello.set_protocol(protocol_number);
  if (!world_.planted(Plant::data_not_told_by_workers)) hello.mutable_held()->set_order(job_.data());
  return hello;
}

void WorkerProcess::handle(PeerId from, FramePart part) {
  if (part.message->has_parameters() && part.piece.is_last() && world_.planted(Plant::asked_for_again)) {
    wire::Message message;
    message.mutable_want()->set_timeline(part.message->parameters().timeline());
    message.mutable_want()->set_id(part.message->parameters().id());
    for (int again = 0; again < 2; ++again) world_.network().send(from, message, {});
  }
  if (part.message->has_assignment() || part.message->has_grant()) begun_.clear();
  assigned_ = assigned_ || part.message->has_assignment();
  carry_out(worker_.received(from, std::move(part)));
}

void WorkerProcess::lost(PeerId peer) {
  if (servers_.erase(peer) != 0 && world_.planted(Plant::streams_never_opened_again)) return;
  begun_.clear();
  carry_out(worker_.closed(peer));
}

void WorkerProcess::carry_out(const Worker::Commands& commands) {
  each(commands,
       [this](const Worker::Command& command) { std::visit([this](const auto& one) { act(one); }, command); });
  note_activity();
}

void WorkerProcess::note_activity() {
  activity_.does(worker_.doing(), world_.instant());
}

wire::Alive WorkerProcess::alive() {
  for (const auto& [server, pending] : pending_) {
    const bool is_open = pending.peer != 0 && world_.network().is_open(pending.peer);
    activity_.link(server, pending.to.incarnation, is_open, world_.instant());
  }
  wire::Alive alive;
  activity_.add_to(alive, wire::Work::COMPUTING, world_.instant());
  if (world_.planted(Plant::work_not_told)) alive.clear_work();
  if (world_.planted(Plant::slow_taken_for_hung)) alive.mutable_work()->set_for_ms(100 * alive.work().for_ms());
  return alive;
}

void WorkerProcess::act(const Worker::Connect& connect) {
  Pending& pending = pending_[connect.server];
  const bool again = pending.to.address == connect.address;
  pending = {connect, pending.number + 1};
  later(again ? 100 * millisecond : 0, [this, connect, number = pending.number] { open(connect.server, number); });
}

void WorkerProcess::open(std::uint32_t server, std::uint64_t number) {
  Pending& pending = pending_.at(server);
  if (pending.number != number || left()) return;
  const PeerId peer = world_.network().connect(*this, world_.at_address(pending.to.address));
  pending.peer = peer;
  servers_.insert(peer);
  wire::Message message;
  *message.mutable_hello() = hello();
  message.mutable_hello()->mutable_to()->set_index(server);
  message.mutable_hello()->mutable_to()->set_incarnation(pending.to.incarnation);
  world_.network().send(peer, message, {});
  carry_out(worker_.connected(server, peer));
}

void WorkerProcess::act(const Worker::Disconnect& disconnect) {
  world_.network().close(disconnect.peer);
}

void WorkerProcess::act(const Worker::Send& send) {
  wire::Message message = send.message;
  if (message.has_leaving() && world_.planted(Plant::one_step_more_said)) {
    message.mutable_leaving()->set_version(message.leaving().version() + 1);
  }
  world_.network().send(send.peer, message, send.tail);
}

void WorkerProcess::ask_to_leave() {
  post([this] {
    carry_out(worker_.leave());
    later(leave_within, [this] {
      if (left()) return;
      late_ = true;
      world_.left_late();  // Its last messages may still be under way.
      carry_out(worker_.leave_at_once());
    });
  });
}

void WorkerProcess::act(const Worker::Leave&) {
  // One without an assignment cannot complete what others left half done.
  leave(late_ || !assigned_ ? Exit::drained_late : Exit::drained);
}

void WorkerProcess::act(const Worker::Compute& compute) {
  note_activity();
  // This bounds the gradients of a job: without faults each worker computes its lanes of each batch once.
  if (!begun_.insert({compute.batch, compute.lanes.begin}).second) {
    world_.violate(name() + " computes batch " + std::to_string(compute.batch) + " again, though nothing has changed");
  }
  if (job_.first_pass()) return find_out(compute);
  train(compute, {});
}

bool WorkerProcess::one_has_ended(const Worker::Compute& compute) const {
  for (std::uint64_t lane = first_of(compute.lanes); lane < end_of(compute.lanes); ++lane) {
    if (compute.batch * job_.share(lane) >= job_.records_in(lane)) return true;
  }
  return false;
}

void WorkerProcess::find_out(const Worker::Compute& compute) {
  if (end_ || !one_has_ended(compute)) return keep(compute);
  const auto found = std::make_shared<std::optional<std::uint64_t>>();
  const auto look = [this, found] {
    *found = world_.store().steps_of_first_pass();
    if (world_.planted(Plant::end_of_a_part_of_the_files)) *found = world_.store().steps_in_part();
    if (world_.planted(Plant::listed_before_the_parameters)) std::swap(*found, end_before_);
  };
  perform(world_.storage_time(), look, [this, compute, found] {
    if (left()) return;
    if (*found && compute.batch >= **found) {
      end_ = *found;
      world_.stats().ends_found++;
    }
    keep(compute);
  });
}

void WorkerProcess::keep(const Worker::Compute& compute) {
  if (end_ && compute.batch >= job_.total_after(*end_)) return carry_out(worker_.ended(job_.total_after(*end_)));
  if (end_ && compute.batch >= *end_) return train(compute, end_);
  const auto keep = [this, files = used_up_by(compute)] {
    for (const Store::File& file : files) {
      world_.store().keep_index(file);
      kept_.insert(file);
    }
  };
  if (world_.planted(Plant::index_kept_after_the_push)) {
    train(compute, {});
    return later(second, [this, keep] { perform(world_.storage_time(), keep, [] {}); });
  }
  perform(world_.storage_time(), keep, [this, compute] {
    if (!left()) train(compute, {});
  });
}

std::vector<Store::File> WorkerProcess::used_up_by(const Worker::Compute& compute) const {
  std::vector<Store::File> files;
  for (std::uint64_t lane = first_of(compute.lanes); lane < end_of(compute.lanes); ++lane) {
    std::uint64_t end = 0;
    for (std::uint64_t file = 0; file < job_.streams[lane].size(); ++file) {
      end += job_.streams[lane][file];
      if (end <= (compute.batch + 1) * job_.share(lane) && !kept_.contains({lane, file})) files.push_back({lane, file});
    }
  }
  return files;
}

void WorkerProcess::train(const Worker::Compute& compute, std::optional<std::uint64_t> first_pass_had) {
  if (hangs_) {
    const auto again = [this, compute, first_pass_had] { train(compute, first_pass_had); };
    return world_.weather().waits_for_gradients ? busy_for(second, again) : later(second, again);
  }
  world_.stats().computed++;
  const auto then = [this, compute, first_pass_had, before = *worker_.parameters()] {
    computed(compute, before, first_pass_had);
  };
  const Time time = world_.compute_time(place());
  if (world_.weather().waits_for_gradients) return busy_for(time, then);
  later(time, then);
}

void WorkerProcess::computed(const Worker::Compute& compute, const Floats& before,
                             std::optional<std::uint64_t> first_pass_had) {
  if (left()) return;
  if (before != *worker_.parameters()) world_.violate(name() + "'s parameters changed under its gradient");
  const bool old = world_.planted(Plant::old_parameters_computed_on) && !parameters_before_.empty();
  const auto gradients = gradients_of(job_, old ? parameters_before_ : *worker_.parameters(), compute, first_pass_had);
  parameters_before_ = *worker_.parameters();
  carry_out(worker_.computed(gradients));
}

}  // namespace carrack::train::simulation
