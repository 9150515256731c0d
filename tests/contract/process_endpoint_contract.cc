// What endpoints between processes refuse.
#include "tests/contract/endpoint_contract.h"

#include <optional>
#include <string>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr FrameLimits large{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{4} << 20};
constexpr FrameLimits small{.control_bytes = 1000, .tail_bytes = 4000};
constexpr EndpointLimits large_both_ways{.accepted = large, .opened = large};

Tail tail_of(std::size_t floats) {
  const auto values = std::make_shared<const Floats>(Floats(floats, 1.5f));
  return {values, *values};
}

}  // namespace

bool ProcessEndpointContract::delivers(Side& server, const std::string& address, bool says_hello,
                                       const wire::Message& message, const Tail& tail) const {
  Side client = new_side(large_both_ways, the_start);
  const PeerId peer = client.endpoint->connect(address, the_member);
  if (says_hello) {
    client.endpoint->send(peer, hello());
    server.next<Arrived>();
  }
  client.endpoint->send(peer, message, tail);
  const std::optional<Event> event = server.inbox.next(Clock::now() + soon);
  if (event && std::holds_alternative<Arrived>(*event)) {
    client.endpoint->cancel(peer);
    server.next<Closed>();
    return true;
  }
  const auto* closed = event ? std::get_if<Closed>(&*event) : nullptr;
  EXPECT_EQ(closed != nullptr ? closed->why : "no event", network_.why_accepted);
  EXPECT_EQ(client.next<Closed>().why, network_.why_of_sender);
  return false;
}

TEST_P(ProcessEndpointContract, EndsAStreamThatBeginsWithMoreThanAHello) {
  Side server = new_side(large_both_ways, the_start);
  const std::string address = server.endpoint->listen(network_.new_address());
  wire::Message long_hello = hello();
  long_hello.mutable_hello()->set_address(std::string(100'000, 'a'));
  EXPECT_TRUE(delivers(server, address, false, hello(), {}));
  EXPECT_FALSE(delivers(server, address, false, hello(), tail_of(1))) << "no tail";
  EXPECT_FALSE(delivers(server, address, false, long_hello, {})) << "at most 64 KiB";
  EXPECT_FALSE(delivers(server, address, false, want(1), {})) << "nothing but a Hello";
}

TEST_P(ProcessEndpointContract, EndsAStreamThatSendsALargerFrameThanItMay) {
  Side server = new_side({.accepted = small, .opened = {}}, the_start);
  const std::string address = server.endpoint->listen(network_.new_address());
  wire::Message long_message = want(1);
  long_message.mutable_refused()->set_reason(std::string(2000, 'a'));
  EXPECT_TRUE(delivers(server, address, true, want(1), tail_of(1000)));
  EXPECT_FALSE(delivers(server, address, true, want(1), tail_of(1001)));
  EXPECT_FALSE(delivers(server, address, true, long_message, {}));
}

TEST_P(ProcessEndpointContract, EndsAStreamThatItOpenedIfAFrameIsTooLarge) {
  Side server = new_side(large_both_ways, the_start);
  Side client = new_side({.accepted = {}, .opened = small}, the_start);
  const PeerId peer = client.endpoint->connect(server.endpoint->listen(network_.new_address()), the_member);
  client.endpoint->send(peer, hello());
  server.endpoint->send(server.next<Arrived>().from, want(1), tail_of(1001));
  const Closed closed = client.next<Closed>();
  EXPECT_EQ(closed.peer, peer);
  EXPECT_EQ(closed.why, network_.why_opened);
}

// A member may prove who it is, and not that it is another.
TEST_P(ProcessEndpointContract, EndsAStreamWhoseHelloIsNotThatOfItsOpening) {
  Side server = new_side(large_both_ways, the_start);
  const std::string address = server.endpoint->listen(network_.new_address());
  for (const MemberStart& another :
       {MemberStart{{Role::ps, 3}, the_start.fence}, MemberStart{{Role::worker, 2}, the_start.fence},
        MemberStart{the_start.member, {.attempt = 0, .incarnation = 4}},
        MemberStart{the_start.member, {.attempt = 1, .incarnation = 5}}}) {
    Side client = new_side(large_both_ways, another);
    client.endpoint->send(client.endpoint->connect(address, the_member), hello());
    EXPECT_EQ(client.next<Closed>().why, network_.why_of_sender);
    EXPECT_EQ(server.next<Closed>().why, network_.why_accepted);
  }
}

}  // namespace carrack::train
