#include "tests/trainer/comm/simulation/member.h"

#include "tests/trainer/comm/simulation/world.h"

namespace carrack::train::simulation {

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
  world_.network().send(coordinator_, message, {});
  coordinator_is(coordinator_);
}

void Member::beat() {
  wire::Message message;
  message.mutable_alive();
  // A thread of its own sends it, so a busy process is alive, and a stopped one is not.
  if (ended()) return;
  if (coordinator_ != 0 && !paused()) world_.network().send(coordinator_, message, {});
  world_.schedule().after(second, [this] { beat(); });
}

void Member::arrived(PeerId from, Frame frame) {
  if (from == coordinator_) {
    if (frame.message.has_end()) return exit(Exit::succeeded);
    if (frame.message.has_refused() && frame.message.refused().superseded()) return exit(Exit::superseded);
  }
  handle(from, std::move(frame));
}

void Member::closed(PeerId peer) {
  if (peer == coordinator_) {
    coordinator_ = 0;
    later(world_.random().between(100, 300) * millisecond, [this] { join(); });
  }
  lost(peer);
}

}  // namespace carrack::train::simulation
