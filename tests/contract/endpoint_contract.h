// What every Endpoint does, as tests: instantiate EndpointContract with the ways to connect endpoints, and
// ProcessEndpointContract with those between processes.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "trainer/comm/protocol/member_start.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

constexpr auto soon = std::chrono::seconds(10);

using NewEndpoint = std::function<std::unique_ptr<Endpoint>(Inbox&)>;

// An end of streams, and what has come to it.
struct Side {
  explicit Side(const NewEndpoint& make) : endpoint(make(inbox)) {}

  template <class Kind>
  Kind next() {
    std::optional<Event> event = inbox.next(std::chrono::steady_clock::now() + soon);
    if (!event || !std::holds_alternative<Kind>(*event)) throw std::runtime_error("another event was awaited");
    return std::get<Kind>(std::move(*event));
  }

  // A frame with all of its tail.
  struct WholeFrame {
    PeerId from = 0;
    std::shared_ptr<const wire::Message> message;
    Tail tail;
  };
  WholeFrame next_frame() {
    TailAssembly tail;
    while (true) {
      Arrived arrived = next<Arrived>();
      std::optional<Tail> whole = tail.add(std::move(arrived.part.piece));
      if (whole) return {arrived.from, arrived.part.message, *std::move(whole)};
    }
  }

  Inbox inbox;
  std::unique_ptr<Endpoint> endpoint;
};

// Endpoints that reach each other.
struct Network {
  NewEndpoint make;
  std::function<std::string()> new_address;  // where nobody listens
};

class EndpointContract : public testing::TestWithParam<std::function<Network()>> {
 protected:
  std::unique_ptr<Side> new_side() const { return std::make_unique<Side>(network_.make); }
  std::string new_address() const { return network_.new_address(); }

 private:
  const Network network_ = GetParam()();
};

// Endpoints between processes: each stream has limits, and the member that it belongs to.
struct ProcessNetwork {
  std::function<std::unique_ptr<Endpoint>(Inbox&, const EndpointLimits&, const MemberStart&)> make;
  std::function<std::string()> new_address;
  // What Closed says of a stream whose other side sent what it may not: at the side that it came to, if that accepted
  // or opened the stream, and at the other one.
  std::string why_accepted, why_opened, why_of_sender;
};

class ProcessEndpointContract : public testing::TestWithParam<std::function<ProcessNetwork()>> {
 protected:
  Side new_side(const EndpointLimits& limits, const MemberStart& self) const {
    return Side([this, limits, self](Inbox& inbox) { return network_.make(inbox, limits, self); });
  }
  // Sends a frame as the first on a stream, or as the second behind a Hello, and returns whether it was delivered. If
  // not, both sides must hear of the end of the stream, and of nothing else.
  bool delivers(Side& server, const std::string& address, bool says_hello, const wire::Message& message,
                const Tail& tail) const;

  const ProcessNetwork network_ = GetParam()();
};

inline wire::Message want(std::uint64_t version) {
  wire::Message message;
  message.mutable_want()->set_version(version);
  return message;
}

// All endpoints are this process, unless a test says otherwise.
inline const MemberStart the_start{{Role::worker, 3}, {.attempt = 1, .incarnation = 4}};
inline const ExpectedMember the_member{the_start.member, the_start.fence};

// Its Hello, with a number to tell it from others.
inline wire::Message hello(std::uint32_t number = 1) {
  wire::Message message;
  wire::Hello& hello = *message.mutable_hello();
  hello.set_role(wire::WORKER);
  hello.set_index(3);
  hello.set_attempt(1);
  hello.set_incarnation(4);
  hello.set_leases(number);
  return message;
}

}  // namespace carrack::train
