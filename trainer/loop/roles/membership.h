// A member's stream to its coordinator. It is opened again whenever it ends, and a thread sends Alive on it once a
// second, so that the coordinator does not take a member for lost that computes for long.
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
#include "trainer/launch/exit.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {

class Membership {
 public:
  // `endpoint` must outlive this. `hello` is called anew for each stream, because what a server holds changes, on the
  // thread that calls join_if_due().
  Membership(Endpoint& endpoint, std::string address, std::function<wire::Hello()> hello);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // The present stream, or 0.
  PeerId peer() const { return peer_; }
  // Opens a stream if there is none and it is time to try again. Returns the new stream, else 0.
  PeerId join_if_due(std::chrono::steady_clock::time_point now);
  // To be called with each stream that has ended. Returns whether it was this one.
  bool closed(PeerId peer);
  // How this process ends, if the frame is of the coordinator and says so.
  std::optional<Exit> exit_in(const Arrived& arrived) const;

 private:
  void send_alive(const std::stop_token& stop);

  Endpoint& endpoint_;
  std::string address_;
  std::function<wire::Hello()> hello_;
  std::chrono::steady_clock::time_point join_due_;
  std::atomic<PeerId> peer_ = 0;
  std::jthread alive_;  // last: it uses all of the above
};

// Handles an event as parameter servers and workers do: passes it to the state machine of their role, and the commands
// that follow to `carry_out`. If the coordinator ends this process, it returns how, and passes nothing.
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
                          if (!exit) carry_out(machine.received(arrived.from, std::move(arrived.frame)));
                        }},
             event);
  return exit;
}

}  // namespace carrack::train
