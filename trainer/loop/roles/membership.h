// A member's stream to its coordinator, which is opened again whenever it has ended. A separate thread sends Alive on
// it once a second, so that the coordinator hears from the member even while its role is busy.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/inbox.h"
#include "trainer/launch/exit.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {

// Call all member functions on the same thread.
class Membership {
 public:
  // `endpoint` must outlive this. `address` is the address of the coordinator, and `attempt` the attempt of this
  // process. join_if_due() calls `hello` for each new stream, since the Hello of a server contains its current state.
  // `alive` returns the content of Alive. It is called on the separate thread, and must not use anything that is
  // destroyed before this object. Neither may be empty.
  Membership(
      Endpoint& endpoint, std::string address, int attempt, std::function<wire::Hello()> hello,
      std::function<wire::Alive()> alive = [] { return wire::Alive(); });
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // The current stream; 0 if there is none.
  PeerId peer() const { return peer_; }
  // If there is no stream, and the last attempt was long enough ago, opens a stream, sends Hello on it and returns it;
  // otherwise returns 0. Does not wait for the connection: a Closed event follows if it fails.
  PeerId join_if_due(std::chrono::steady_clock::time_point now);
  // Call this for every Closed event. Returns true if it is the current stream that has ended.
  bool closed(PeerId peer);
  // Returns how this process must end, if the frame is from the coordinator and requires that; otherwise nullopt.
  std::optional<Exit> exit_in(const Arrived& arrived) const;

 private:
  void send_alive(const std::stop_token& stop);

  Endpoint& endpoint_;
  std::string address_;
  const int attempt_;
  std::function<wire::Hello()> hello_;
  std::function<wire::Alive()> what_;
  std::chrono::steady_clock::time_point join_due_;
  std::atomic<PeerId> peer_ = 0;
  std::jthread alive_;  // last: it uses all of the above
};

// Handles an event of a parameter server or a worker. Runs a Task; passes any other event to `machine`, the state
// machine of the role, and the resulting commands to `carry_out`. If the coordinator ends this process by the frame,
// passes nothing on and returns how the process must end; otherwise returns nullopt. Exceptions pass through.
template <class Machine, class CarryOut>
std::optional<Exit> handle_as_member(Event& event, Membership& membership, Machine& machine,
                                     const CarryOut& carry_out) {
  std::optional<Exit> exit;
  std::visit(overloaded{[](Task& task) { task.run(); },
                        [&](Closed& closed) {
                          membership.closed(closed.peer);
                          carry_out(machine.closed(closed.peer));
                        },
                        [&](Arrived& arrived) {
                          exit = membership.exit_in(arrived);
                          if (!exit) carry_out(machine.received(arrived.from, std::move(arrived.part)));
                        }},
             event);
  return exit;
}

}  // namespace carrack::train
