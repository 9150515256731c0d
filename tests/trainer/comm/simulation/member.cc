#include "tests/trainer/comm/simulation/member.h"

#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {
namespace {

constexpr Time leave_within = 2 * second;

}  // namespace

void Member::start() {
  join();
  beat();
}

wire::Hello Member::hello() const {
  wire::Hello hello;
  hello.set_job_uid("job");
  hello.set_attempt(1);
  hello.set_role(place().role);
  hello.set_index(place().index);
  hello.set_incarnation(incarnation());
  if (world_.planted(Plant::number_of_the_newest)) hello.set_incarnation(world_.newest(place()));
  if (world_.planted(Plant::numbers_start_anew)) hello.set_incarnation(1 + (incarnation() - 1) % 2);
  hello.set_address(world_.address_of(*this));
  return hello;
}

void Member::join() {
  if (coordinator_ != 0) return;
  coordinator_ = world_.network().connect(*this, world_.coordinator());
  wire::Message message;
  *message.mutable_hello() = hello();
  if (!world_.planted(Plant::work_not_told_in_hello)) *message.mutable_hello()->mutable_alive() = alive();
  world_.network().send(coordinator_, message, {});
  coordinator_is(coordinator_);
}

void Member::beat() {
  wire::Message message;
  // It is sent by a thread of its own: a busy process is alive, a paused one is not.
  if (ended()) return;
  *message.mutable_alive() = alive();
  if (coordinator_ != 0 && !paused()) world_.network().send(coordinator_, message, {});
  world_.schedule().after(second, [this] { beat(); });
}

void Member::leave(Exit how) {
  left_ = how;
  left_at_ = world_.schedule().now();
  if (coordinator_ == 0) return exit(how);
  world_.network().close(coordinator_);
  later(leave_within, [this, how] { exit(how); });
}

void Member::arrived(PeerId from, FramePart part) {
  if (left_) return;
  if (from == coordinator_) {
    if (part.message->has_end()) return exit(Exit::succeeded);
    if (part.message->has_refused() && part.message->refused().superseded()) return exit(Exit::superseded);
  }
  handle(from, std::move(part));
}

void Member::closed(PeerId peer) {
  if (left_) return peer == coordinator_ ? exit(*left_) : void();
  if (peer == coordinator_) {
    coordinator_ = 0;
    later(world_.random().between(100, 300) * millisecond, [this] { join(); });
  }
  lost(peer);
}

}  // namespace carrack::train::simulation
