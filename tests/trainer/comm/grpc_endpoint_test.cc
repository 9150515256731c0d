#include "trainer/comm/transport/grpc_endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "tests/contract/endpoint_contract.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr FrameLimits megabytes{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{4} << 20};
constexpr EndpointLimits generous{.accepted = megabytes, .opened = megabytes};

NewEndpoint with_key(const std::string& key, const EndpointLimits& limits = generous) {
  return [key, limits](Inbox& inbox) { return std::make_unique<GrpcEndpoint>(inbox, key, limits); };
}

std::string new_address() {
  static int number = 0;
  return "unix:/tmp/carrack-endpoint-" + std::to_string(getpid()) + "-" + std::to_string(++number);
}

INSTANTIATE_TEST_SUITE_P(Grpc, EndpointContract, testing::Values([] { return Network{with_key("key"), new_address}; }));

Tail tail_of(std::size_t floats) {
  const auto values = std::make_shared<const Floats>(Floats(floats, 1.5f));
  return {values, *values};
}

TEST(GrpcEndpoint, ServesAtANameThatIsNoFile) {
  Side server(with_key("key"));
  const std::string address = server.endpoint->listen("unix-abstract:carrack-endpoint-" + std::to_string(getpid()));
  Side client(with_key("key"));
  client.endpoint->send(client.endpoint->connect(address), hello(7));
  EXPECT_EQ(server.next<Arrived>().frame.message.hello().index(), 7u);
}

TEST(GrpcEndpoint, EndsAStreamThatDoesNotKnowTheKey) {
  Side server(with_key("key"));
  const std::string address = server.endpoint->listen(new_address());
  Side stranger(with_key("another"));
  stranger.endpoint->send(stranger.endpoint->connect(address), hello());
  EXPECT_EQ(stranger.next<Closed>().why, "the key of this run is another one");
  EXPECT_FALSE(server.inbox.next(Clock::now() + std::chrono::milliseconds(100)));
}

// Sends a frame as the first on a stream, or as the second behind a Hello, and returns whether it was delivered. If
// not, both sides must hear of the end of the stream, and of nothing else.
bool delivers(Side& server, const std::string& address, bool says_hello, const wire::Message& message,
              const Tail& tail) {
  Side client(with_key("key"));
  const PeerId peer = client.endpoint->connect(address);
  if (says_hello) {
    client.endpoint->send(peer, hello());
    server.next<Arrived>();
  }
  client.endpoint->send(peer, message, tail);
  std::optional<Event> event = server.inbox.next(Clock::now() + soon);
  if (event && std::holds_alternative<Arrived>(*event)) {
    client.endpoint->cancel(peer);
    server.next<Closed>();
    return true;
  }
  EXPECT_TRUE(event && std::holds_alternative<Closed>(*event));
  EXPECT_EQ(client.next<Closed>().peer, peer);
  return false;
}

TEST(GrpcEndpoint, EndsAStreamThatBeginsWithMoreThanAHello) {
  Side server(with_key("key"));
  const std::string address = server.endpoint->listen(new_address());
  wire::Message large = hello();
  large.mutable_hello()->set_address(std::string(100'000, 'a'));
  EXPECT_TRUE(delivers(server, address, false, hello(), {}));
  EXPECT_FALSE(delivers(server, address, false, hello(), tail_of(1))) << "no tail";
  EXPECT_FALSE(delivers(server, address, false, large, {})) << "at most 64 KiB";
  EXPECT_FALSE(delivers(server, address, false, want(1), {})) << "nothing but a Hello";
}

TEST(GrpcEndpoint, EndsAStreamThatSendsALargerFrameThanItMay) {
  Side server(with_key("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}}));
  const std::string address = server.endpoint->listen(new_address());
  wire::Message large = want(1);
  large.mutable_hello()->set_address(std::string(2000, 'a'));
  EXPECT_TRUE(delivers(server, address, true, want(1), tail_of(1000)));
  EXPECT_FALSE(delivers(server, address, true, want(1), tail_of(1001)));
  EXPECT_FALSE(delivers(server, address, true, large, {}));
}

// The bytes that this process has in memory.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// gRPC 1.51 receives a message before it compares its size, so one is in memory for a moment, and perhaps a while
// longer in the allocator. But the endpoint keeps none: eight of them take no more memory than a few. The address
// sanitizer keeps what was freed for a while.
TEST(GrpcEndpoint, KeepsNoFrameThatIsTooLarge) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP();
#endif
  Side server(with_key("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}}));
  const std::string address = server.endpoint->listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{64} << 20;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(delivers(server, address, true, want(1), tail));
  EXPECT_LT(resident_bytes(), before + 4 * frame_bytes);
}

// What gRPC has received of them is free again, however many have come and from several peers at once. Sanitizers use
// memory of their own for each byte.
TEST(GrpcEndpoint, FreesEveryFrameThatIsTooLarge) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP();
#endif
  Side server(with_key("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}}));
  const std::string address = server.endpoint->listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{2} << 20;
  constexpr int peers = 4;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 50; ++round) {
    Side client(with_key("key"));
    for (int i = 0; i < peers; ++i) {
      const PeerId peer = client.endpoint->connect(address);
      client.endpoint->send(peer, hello());
      client.endpoint->send(peer, want(1), tail);
    }
    for (int closed = 0; closed < peers;) {
      const std::optional<Event> event = server.inbox.next(Clock::now() + soon);
      ASSERT_TRUE(event);
      if (const auto* arrived = std::get_if<Arrived>(&*event)) {
        EXPECT_TRUE(arrived->frame.message.has_hello());
      } else {
        ++closed;
      }
    }
    for (int i = 0; i < peers; ++i) client.next<Closed>();
  }
  EXPECT_LT(resident_bytes(), before + (std::size_t{64} << 20)) << "400 MiB were sent";
}

TEST(GrpcEndpoint, EndsAStreamThatItOpenedWhereAFrameIsTooLarge) {
  Side server(with_key("key"));
  const std::string address = server.endpoint->listen(new_address());
  Side client(with_key("key", {.accepted = {}, .opened = {.control_bytes = 1000, .tail_bytes = 4000}}));
  const PeerId peer = client.endpoint->connect(address);
  client.endpoint->send(peer, hello());
  server.endpoint->send(server.next<Arrived>().from, want(1), tail_of(2000));
  EXPECT_EQ(client.next<Closed>().peer, peer);
}

}  // namespace
}  // namespace carrack::train
