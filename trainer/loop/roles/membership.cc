#include "trainer/loop/roles/membership.h"

#include <condition_variable>
#include <mutex>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto beat_every = std::chrono::seconds(1);
// The coordinator's name leads nowhere while it is being replaced; asking more often does not bring it sooner.
constexpr auto join_again_after = std::chrono::milliseconds(100);

}  // namespace

Membership::Membership(Endpoint& endpoint, std::string address, std::function<wire::Hello()> hello)
    : endpoint_(endpoint),
      address_(std::move(address)),
      hello_(std::move(hello)),
      due_(Clock::now()),
      beats_([this](const std::stop_token& stop) { beat(stop); }) {}

PeerId Membership::join_if_due(Clock::time_point now) {
  if (peer_ != 0 || now < due_) return 0;
  due_ = now + join_again_after;
  const PeerId peer = endpoint_.connect(address_);
  wire::Message message;
  *message.mutable_hello() = hello_();
  endpoint_.send(peer, message);
  peer_ = peer;
  return peer;
}

bool Membership::closed(PeerId peer) {
  PeerId present = peer;
  return peer_.compare_exchange_strong(present, 0);
}

void Membership::beat(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wire::Message alive;
  alive.mutable_alive();
  while (!wake.wait_for(lock, stop, beat_every, [&] { return stop.stop_requested(); })) {
    if (const PeerId peer = peer_) endpoint_.send(peer, alive);
  }
}

}  // namespace carrack::train
