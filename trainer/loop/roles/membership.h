// A member's stream to its coordinator. It is opened again whenever it ends. A thread sends Alive on it once a second:
// the coordinator considers a silent member lost, and the update of a large range may take longer than that.
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

// All member functions must be called on the same thread.
class Membership {
 public:
  // `endpoint` must outlive this, which is a process of attempt `attempt`. `address` is that of the coordinator.
  // join_if_due() calls `hello` for each new stream, because the Hello of a server contains the server's present state.
  // `alive` says what Alive is to say; it is called on another thread, and must not use what is destroyed before this.
  Membership(
      Endpoint& endpoint, std::string address, int attempt, std::function<wire::Hello()> hello,
      std::function<wire::Alive()> alive = [] { return wire::Alive(); });
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // The present stream, or 0 if there is none.
  PeerId peer() const { return peer_; }
  // If there is no stream and the last try is long enough ago, opens a stream, sends Hello on it and returns it;
  // otherwise returns 0. Does not wait for the connection: a Closed event follows if it fails.
  PeerId join_if_due(std::chrono::steady_clock::time_point now);
  // Must be called for every Closed event. Returns true if the present stream has ended; there is none then.
  bool closed(PeerId peer);
  // Returns how this process must end if the frame is from the coordinator and requires that; otherwise nullopt.
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

// Handles an event of a parameter server or a worker: runs a Task, and passes any other event to `machine`, the state
// machine of the role, and the commands that `machine` returns to `carry_out`. If the event is a frame by which the
// coordinator ends this process, passes nothing and returns how the process must end; otherwise returns nullopt.
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
