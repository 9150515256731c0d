// Streams whose other side reads nothing more, as a process that was stopped or whose node is gone.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "tests/contract/endpoint_contract.h"
#include "trainer/comm/transport/grpc_endpoint.h"
#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t frame_bytes = std::size_t{64} << 20;

// A frame of HTTP/2 by which a gibibyte more may be sent on a stream, or with 0 on the connection.
std::array<std::uint8_t, 13> window_update(std::uint8_t stream) {
  return {0, 0, 4, 8, 0, 0, 0, 0, stream, 0x40, 0, 0, 0};
}

// Carries the bytes of a connection until it is stopped. From then on it reads nothing; the connection stays open.
class Relay {
 public:
  const std::string& address() const { return listening_.address; }

  // Carries them to this address.
  void start(const std::string& to) {
    thread_ = std::jthread([this, to] { carry(to); });
  }

  // Lets one side send more than any buffer holds, or it would stop by itself at the end of its window.
  void stop_reading_from(bool opener) {
    is_stopped_ = true;
    thread_.join();
    const MemberSocket& sender = opener ? opener_ : acceptor_;
    EXPECT_TRUE(write_all(sender, window_update(0), Clock::now() + soon));
    EXPECT_TRUE(write_all(sender, window_update(1), Clock::now() + soon));
  }

 private:
  void carry(const std::string& to) {
    pollfd waiting{listening_.socket.descriptor(), POLLIN, 0};
    poll(&waiting, 1, 10'000);
    opener_ = MemberSocket(accept(listening_.socket.descriptor(), nullptr, nullptr));
    data::Stop stop;
    acceptor_ = std::get<Connected>(connect_to(to, stop)).socket;
    while (!is_stopped_) {
      carry_some(opener_, acceptor_);
      carry_some(acceptor_, opener_);
    }
  }

  static void carry_some(const MemberSocket& from, const MemberSocket& to) {
    pollfd polled{from.descriptor(), POLLIN, 0};
    if (poll(&polled, 1, 1) == 0) return;
    std::array<std::uint8_t, 65536> bytes;
    const ssize_t size = recv(from.descriptor(), bytes.data(), bytes.size(), 0);
    ASSERT_GT(size, 0);
    EXPECT_TRUE(write_all(to, std::span(bytes).first(static_cast<std::size_t>(size)), Clock::now() + soon));
  }

  const Listening listening_ = listen_at("127.0.0.1:0");
  MemberSocket opener_{-1}, acceptor_{-1};
  std::atomic<bool> is_stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

// Others reach it at `address`.
NewEndpoint new_endpoint(const std::string& address = {}) {
  static const auto key = std::make_shared<const Key>("the key of the tests, which is long enough");
  constexpr FrameLimits limits{.control_bytes = 1000, .tail_bytes = frame_bytes};
  return [=](Inbox& inbox) {
    return std::make_unique<GrpcEndpoint>(inbox, Identity{key, the_start, address}, EndpointLimits{limits, limits},
                                          [](const std::string&) {});
  };
}

// gRPC's pings wait behind a write that is blocked, so they do not show that the other side is gone.
void expect_that_a_sender_leaves(bool opener_sends) {
  Relay relay;
  Side server(new_endpoint(relay.address())), opener(new_endpoint());
  relay.start(server.endpoint->listen("127.0.0.1:0"));
  const PeerId to_server = opener.endpoint->connect(relay.address(), the_member);
  opener.endpoint->send(to_server, hello());
  const PeerId to_opener = server.next<Arrived>().from;
  relay.stop_reading_from(opener_sends);
  Side& sender = opener_sends ? opener : server;
  const auto values = std::make_shared<const Floats>(Floats(frame_bytes / sizeof(float), 1.5f));
  sender.endpoint->send(opener_sends ? to_server : to_opener, want(1), {values, *values});
  const std::optional<Event> event = sender.inbox.next(Clock::now() + std::chrono::seconds(15));
  ASSERT_TRUE(event);
  EXPECT_TRUE(std::holds_alternative<Closed>(*event));
}

// A process that handles nothing for a while, as one that computes, is not gone: its pings go on, and are answered.
TEST(SlowPeer, IsNotLeft) {
  Side server(new_endpoint()), opener(new_endpoint());
  const PeerId to_server = opener.endpoint->connect(server.endpoint->listen("127.0.0.1:0"), the_member);
  opener.endpoint->send(to_server, hello());
  const PeerId to_opener = server.next<Arrived>().from;
  const auto values = std::make_shared<const Floats>(Floats(frame_bytes / sizeof(float), 1.5f));
  opener.endpoint->send(to_server, want(1), {values, *values});
  server.endpoint->send(to_opener, want(2), {values, *values});
  std::this_thread::sleep_for(std::chrono::seconds(12));  // longer than a ping and its answer may take
  EXPECT_EQ(server.next_frame().message->want().version(), 1u);
  EXPECT_EQ(opener.next_frame().message->want().version(), 2u);
}

TEST(StoppedPeer, IsLeftByTheSideThatOpenedTheStream) {
  expect_that_a_sender_leaves(true);
}

TEST(StoppedPeer, IsLeftByTheSideThatAcceptedTheStream) {
  expect_that_a_sender_leaves(false);
}

}  // namespace
}  // namespace carrack::train
