#include <memory>
#include <span>
#include <utility>

#include "tests/trainer/comm/simulation/members.h"
#include "tests/trainer/comm/simulation/world.h"
#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train::simulation {

ServerProcess::ServerProcess(World& world, Place place, std::uint32_t incarnation)
    : Member(world, place, incarnation),
      server_({.job_uid = "job",
               .attempt = 1,
               .index = place.index,
               .incarnation = incarnation,
               .workers_max = world.job().workers,
               .training = world.job().training(),
               .blocks = blocks_of_one(world.job().ranges[place.index].size)}) {}

void ServerProcess::start() {
  world_.listen(*this);
  Member::start();
}

wire::Hello ServerProcess::hello() const {
  wire::Hello hello = Member::hello();
  *hello.mutable_held() = server_.held();
  if (world_.job().servers_know_limits) hello.set_protocol(protocol_number);
  if (world_.planted(Plant::data_not_told_by_servers)) hello.mutable_held()->clear_order();
  return hello;
}

void ServerProcess::handle(PeerId from, FramePart part) {
  if (part.message->has_hello()) workers_.insert(from);
  const bool left_out = part.message->has_load() && server_.held().timeline() != 0;
  if (left_out && world_.planted(Plant::load_left_out)) {
    wire::Message message;
    message.mutable_loaded()->set_timeline(part.message->load().timeline());
    message.mutable_loaded()->set_version(server_.held().version());
    return world_.network().send(from, message, {});
  }
  if (part.message->has_push()) return handle_push(from, std::move(part));
  wire::Message message = *part.message;
  if (message.has_limit() && world_.planted(Plant::norms_not_sent_again)) {
    message.mutable_limit()->clear_norms();
  }
  if (message.has_norm_total()) world_.stats().norms++;
  if (message.has_norm_total() && world_.planted(Plant::norm_taken_in_part)) {
    message.mutable_norm_total()->set_squares(message.norm_total().squares() / 4);
  }
  if (message.has_limit()) {
    if (!world_.job().servers_know_limits) return;
    if (world_.planted(Plant::limit_passed)) message.mutable_limit()->set_version(message.limit().version() + 2);
  }
  carry_out(server_.received(from, Frame{std::move(message), {}}));
}

void ServerProcess::handle_push(PeerId from, FramePart part) {
  part.piece.is_last() ? void(pushing_.erase(from)) : void(pushing_.insert(from));
  if (world_.planted(Plant::assignments_not_numbered)) {
    wire::Message message = *part.message;
    message.mutable_push()->clear_assignment();
    part.message = std::make_shared<const wire::Message>(std::move(message));
  }
  if (world_.planted(Plant::pieces_added_twice)) {
    held_back_[from].push_back(part);
    if (!part.piece.is_last()) return;
    for (const FramePart& one : std::exchange(held_back_[from], {})) carry_out(server_.received(from, one));
    return;
  }
  if (world_.planted(Plant::piece_of_an_earlier_assignment)) {
    const wire::Push& push = part.message->push();
    const bool is_newest = !of_newest_assignment_ || push.batch() != of_newest_assignment_->message->push().batch() ||
                           push.assignment() >= of_newest_assignment_->message->push().assignment();
    is_newest ? void(of_newest_assignment_ = part) : void(part.message = of_newest_assignment_->message);
  }
  if (world_.planted(Plant::counted_with_the_first_piece)) {
    if (part.piece.begin() > 0) return;
    Floats values(part.piece.total(), 0.0f);
    part.piece.copy(0, std::span(values).first(part.piece.end()));
    part.piece = Piece(Tail(std::move(values)));
  }
  carry_out(server_.received(from, std::move(part)));
}

// What has come of a push whose stream has ended.
void ServerProcess::add_all_twice(PeerId from) {
  for (const FramePart& part : std::exchange(held_back_[from], {})) {
    const auto values = std::make_shared<Floats>(part.piece.end() - part.piece.begin());
    part.piece.copy(part.piece.begin(), *values);
    part.piece.add(part.piece.begin(), *values);
    const Piece twice(part.piece.begin(), part.piece.total(), {std::as_bytes(std::span(*values))}, values);
    carry_out(server_.received(from, {part.message, twice}));
  }
}

void ServerProcess::lost(PeerId peer) {
  if (pushing_.erase(peer) != 0) world_.stats().pushes_cut++;
  if (world_.planted(Plant::pieces_added_twice)) add_all_twice(peer);
  workers_.erase(peer);
  if (world_.planted(Plant::closed_not_told_to_servers)) return;
  carry_out(server_.closed(peer));
}

void ServerProcess::carry_out(const ParameterServer::Commands& commands) {
  std::size_t served = 0;
  for (const ParameterServer::Command& command : commands) {
    const auto* send = std::get_if<ParameterServer::Send>(&command);
    if (send != nullptr && send->message.has_parameters()) ++served;
  }
  if (served > workers_.size()) world_.violate(name() + " keeps more that wait than it has workers");
  each(commands,
       [this](const ParameterServer::Command& command) { std::visit([this](const auto& one) { act(one); }, command); });
}

void ServerProcess::act(const ParameterServer::Send& send) {
  if (world_.job().sync && send.message.has_parameters()) {
    world_.check(world_.store().fault_in_parameters(place().index, send.message.parameters().version(),
                                                    send.tail.values(), server_.held().order()));
  }
  wire::Message message = send.message;
  if (message.has_snapshotted() && !world_.job().servers_know_limits) return;
  if (message.has_parameters() && world_.planted(Plant::wants_not_told_apart)) message.mutable_parameters()->clear_id();
  world_.network().send(send.peer, message, send.tail);
}

void ServerProcess::act(const ParameterServer::Disconnect& disconnect) {
  world_.network().close(disconnect.peer);
}

void ServerProcess::act(const ParameterServer::BeginLoad& load) {
  const auto loaded = [this, from = load.from] {
    if (server_.held().timeline() > from.timeline()) return;  // A later load is done, so that this one is ignored.
    if (!from.resumed() && world_.store().is_removed(from.manifest())) {
      // Only a coordinator that is replaced may order this, or a server be so late that is. It fails, and starts again.
      const bool is_newest = world_.newest(place()) == incarnation();
      if (is_newest && from.timeline() >> 32 == world_.store().head().incarnation) {
        world_.violate(name() + " loads " + from.manifest() + ", which is removed");
      }
      return kill();
    }
    ShardState state = world_.store().shard(from, place().index);
    state.applied = world_.planted(Plant::applied_not_saved) ? BatchSet() : runs_from(from.applied()).value();
    if (world_.planted(Plant::skipped_not_loaded)) state.skipped = {};
    carry_out(server_.loaded(from.timeline(), std::move(state)));
  };
  const Time time = world_.storage_time();
  if (world_.weather().waits_for_storage) return busy_for(time, loaded);
  later(time, loaded);
}

void ServerProcess::act(const ParameterServer::BeginSave& save) {
  if (std::exchange(is_saving_, true)) world_.violate(name() + " begins a save while another is under way");
  if (world_.planted(Plant::saved_told_before_it_is)) told_saved(save);
  const auto begin = [this, save, data = server_.held().order()] {
    world_.check(world_.store().begin_shard(save.cut.prefix(), place().index, save.state, data));
  };
  const auto finish = [this, save] { world_.store().finish_shard(save.cut.prefix(), place().index); };
  perform(world_.storage_time(), begin, [this, save, finish] {
    perform(world_.storage_time(), finish, [this, save] {
      is_saving_ = false;
      if (!world_.planted(Plant::saved_told_before_it_is)) told_saved(save);
    });
  });
}

void ServerProcess::told_saved(const ParameterServer::BeginSave& save) {
  wire::Saved saved;
  saved.set_timeline(save.cut.timeline());
  saved.set_number(save.cut.number());
  *saved.mutable_applied() = wire_from(save.state.applied.list());
  *saved.mutable_skipped() = wire_from(save.state.skipped);
  if (world_.planted(Plant::saved_as_it_was_counted)) {
    *saved.mutable_applied() = wire_from({BatchRun{0, save.cut.version()}});
  }
  carry_out(server_.saved(saved));
}

}  // namespace carrack::train::simulation
