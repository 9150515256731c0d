#include "trainer/loop/roles/membership.h"

#include <condition_variable>
#include <mutex>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto alive_every = std::chrono::seconds(1);
// The pause between two attempts to join. They fail while a coordinator is being replaced, because its name does not
// resolve or no process listens there.
constexpr auto join_again_after = std::chrono::milliseconds(100);

}  // namespace

Membership::Membership(Endpoint& endpoint, std::string address, int attempt, std::function<wire::Hello()> hello,
                       std::function<wire::Alive()> alive)
    : endpoint_(endpoint),
      address_(std::move(address)),
      attempt_(attempt),
      hello_(std::move(hello)),
      alive_content_(std::move(alive)),
      join_due_(Clock::now()),
      alive_([this](const std::stop_token& stop) { send_alive(stop); }) {}

PeerId Membership::join_if_due(Clock::time_point now) {
  if (peer_ != 0 || now < join_due_) return 0;
  join_due_ = now + join_again_after;
  const PeerId peer = endpoint_.connect(address_, {{Role::coordinator, 0}, {attempt_, 1}});
  wire::Message message;
  *message.mutable_hello() = hello_();
  endpoint_.send(peer, message);
  peer_ = peer;
  return peer;
}

// Forgets the stream if it is still the present one. The thread that sends Alive reads peer_ at the same time.
bool Membership::closed(PeerId peer) {
  PeerId present = peer;
  return peer_.compare_exchange_strong(present, 0);
}

std::optional<Exit> Membership::exit_in(const Arrived& arrived) const {
  if (arrived.from != peer_) return std::nullopt;
  const wire::Message& message = *arrived.part.message;
  if (message.has_end()) return Exit::succeeded;
  if (message.has_refused() && message.refused().superseded()) return Exit::superseded;
  return std::nullopt;
}

void Membership::send_alive(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;  // ConditionVariable (dataloader/mutex.h) knows no stop tokens
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, stop, alive_every, [&] { return stop.stop_requested(); })) {
    wire::Message message;
    *message.mutable_alive() = alive_content_();
    if (const PeerId peer = peer_) endpoint_.send(peer, message);
  }
}

}  // namespace carrack::train
