// Membership: the connection of a parameter server or a worker to its coordinator. The caller opens the stream again
// whenever it has ended, by join_if_due(). A separate thread sends the message Alive on it once a second, a heartbeat,
// so that the coordinator hears from the member even while its role is busy.
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
  // `address` is the address of the coordinator. `attempt` is the attempt of this process (Fence in member.h), which
  // the coordinator must have, too. `hello` returns the first message of a stream; join_if_due() calls it for each
  // stream, since the Hello of a server contains its current state. `alive` returns the content of Alive. It is called
  // on the separate thread, and must not use anything that is destroyed before this object. Neither function may be
  // empty. `endpoint` must outlive this.
  Membership(
      Endpoint& endpoint, std::string address, int attempt, std::function<wire::Hello()> hello,
      std::function<wire::Alive()> alive = [] { return wire::Alive(); });
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // The current stream; 0 if there is none. It may not be connected yet.
  PeerId peer() const { return peer_; }
  // If there is no stream, and the last one was opened at least 100 ms ago, opens a stream, sends Hello on it and
  // returns it; otherwise returns 0. Does not wait for the connection: a Closed event follows if it fails. Call it
  // often.
  PeerId join_if_due(std::chrono::steady_clock::time_point now);
  // Call this for every Closed event. Returns true if the current stream has ended, so that join_if_due() opens another
  // one; false for the stream of another peer.
  bool closed(PeerId peer);
  // Returns how this process must end, if the frame is from the coordinator and requires that: Exit::succeeded if the
  // job is done, Exit::superseded if another process has replaced this one. Returns nullopt for all other frames.
  std::optional<Exit> exit_in(const Arrived& arrived) const;

 private:
  void send_alive(const std::stop_token& stop);

  Endpoint& endpoint_;
  std::string address_;
  const int attempt_;
  std::function<wire::Hello()> hello_;
  std::function<wire::Alive()> alive_content_;
  std::chrono::steady_clock::time_point join_due_;
  std::atomic<PeerId> peer_ = 0;
  std::jthread alive_;  // last: it uses all of the above
};

// Handles an event from the inbox of a parameter server or a worker. Runs a Task. Passes any other event to `machine`,
// the state machine of the role, and the commands that it returns to `carry_out`. If the event is a frame by which the
// coordinator ends this process, returns how the process must end, and the machine does not get the frame; otherwise
// returns nullopt. Exceptions pass through.
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
