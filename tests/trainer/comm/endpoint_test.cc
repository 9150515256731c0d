#include "trainer/comm/transport/endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto soon = std::chrono::seconds(10);

constexpr FrameLimits megabytes{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{4} << 20};
constexpr EndpointLimits generous{.accepted = megabytes, .opened = megabytes};

// An end of streams, and what has come to it.
struct Side {
  explicit Side(std::string key, const EndpointLimits& limits = generous) : endpoint(inbox, std::move(key), limits) {}

  template <class Kind>
  Kind next() {
    std::optional<Event> event = inbox.next(Clock::now() + soon);
    if (!event || !std::holds_alternative<Kind>(*event)) throw std::runtime_error("another event was awaited");
    return std::get<Kind>(std::move(*event));
  }

  Inbox inbox;
  Endpoint endpoint;
};

std::string new_address() {
  static int number = 0;
  return "unix:/tmp/carrack-endpoint-" + std::to_string(getpid()) + "-" + std::to_string(++number);
}

wire::Message want(std::uint64_t version) {
  wire::Message message;
  message.mutable_want()->set_version(version);
  return message;
}

wire::Message hello(std::uint32_t index = 1) {
  wire::Message message;
  message.mutable_hello()->set_index(index);
  return message;
}

Tail tail_of(std::size_t floats) {
  const auto values = std::make_shared<const std::vector<float>>(std::vector<float>(floats, 1.5f));
  return {values, *values};
}

TEST(Endpoint, CarriesFramesBothWaysInOrder) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side client("key");
  const PeerId to_server = client.endpoint.connect(address);
  client.endpoint.send(to_server, hello());
  EXPECT_TRUE(server.next<Arrived>().frame.message.has_hello());
  const auto floats = std::make_shared<const std::vector<float>>(std::vector<float>(300'000, 1.5f));
  for (std::uint64_t i = 0; i < 20; ++i) client.endpoint.send(to_server, want(i), Tail{floats, *floats});
  PeerId to_client = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Arrived arrived = server.next<Arrived>();
    EXPECT_EQ(arrived.frame.message.want().version(), i);
    EXPECT_EQ(arrived.frame.tail, *floats);
    to_client = arrived.from;
  }
  server.endpoint.send(to_client, want(99));
  EXPECT_EQ(client.next<Arrived>().frame.message.want().version(), 99u);
}

TEST(Endpoint, EndsThoughOthersKeepOpeningStreams) {
  for (int round = 0; round < 20; ++round) {
    auto server = std::make_unique<Side>("key");
    const std::string address = server->endpoint.listen(new_address());
    const std::jthread members([&address](const std::stop_token& stop) {
      Side client("key");
      while (!stop.stop_requested()) client.endpoint.send(client.endpoint.connect(address), hello());
    });
    server->next<Arrived>();
    server.reset();
  }
}

TEST(Endpoint, ServesAtANameThatIsNoFile) {
  Side server("key");
  const std::string address = server.endpoint.listen("unix-abstract:carrack-endpoint-" + std::to_string(getpid()));
  Side client("key");
  client.endpoint.send(client.endpoint.connect(address), hello(7));
  EXPECT_EQ(server.next<Arrived>().frame.message.hello().index(), 7u);
}

TEST(Endpoint, EndsAStreamThatDoesNotKnowTheKey) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side stranger("another");
  stranger.endpoint.send(stranger.endpoint.connect(address), hello());
  EXPECT_EQ(stranger.next<Closed>().why, "the key of this run is another one");
  EXPECT_FALSE(server.inbox.next(Clock::now() + std::chrono::milliseconds(100)));
}

TEST(Endpoint, TellsBothSidesOfAnEnd) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side client("key");
  const PeerId to_server = client.endpoint.connect(address);
  client.endpoint.send(to_server, hello());
  const PeerId to_client = server.next<Arrived>().from;
  server.endpoint.close(to_client);
  EXPECT_EQ(client.next<Closed>().peer, to_server);
  EXPECT_EQ(server.next<Closed>().peer, to_client);
  client.endpoint.send(to_server, want(2));  // Dropped: nobody is there.
}

// Sends a frame as the first on a stream, or as the second behind a Hello, and returns whether it was delivered. If
// not, both sides must hear of the end of the stream, and of nothing else.
bool delivers(Side& server, const std::string& address, bool says_hello, const wire::Message& message,
              const Tail& tail) {
  Side client("key");
  const PeerId peer = client.endpoint.connect(address);
  if (says_hello) {
    client.endpoint.send(peer, hello());
    server.next<Arrived>();
  }
  client.endpoint.send(peer, message, tail);
  std::optional<Event> event = server.inbox.next(Clock::now() + soon);
  if (event && std::holds_alternative<Arrived>(*event)) {
    client.endpoint.cancel(peer);
    server.next<Closed>();
    return true;
  }
  EXPECT_TRUE(event && std::holds_alternative<Closed>(*event));
  EXPECT_EQ(client.next<Closed>().peer, peer);
  return false;
}

TEST(Endpoint, EndsAStreamThatBeginsWithMoreThanAHello) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  wire::Message large = hello();
  large.mutable_hello()->set_address(std::string(100'000, 'a'));
  EXPECT_TRUE(delivers(server, address, false, hello(), {}));
  EXPECT_FALSE(delivers(server, address, false, hello(), tail_of(1))) << "no tail";
  EXPECT_FALSE(delivers(server, address, false, large, {})) << "at most 64 KiB";
  EXPECT_FALSE(delivers(server, address, false, want(1), {})) << "nothing but a Hello";
}

TEST(Endpoint, EndsAStreamThatSendsALargerFrameThanItMay) {
  Side server("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}});
  const std::string address = server.endpoint.listen(new_address());
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
TEST(Endpoint, KeepsNoFrameThatIsTooLarge) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP();
#endif
  Side server("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}});
  const std::string address = server.endpoint.listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{64} << 20;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(delivers(server, address, true, want(1), tail));
  EXPECT_LT(resident_bytes(), before + 4 * frame_bytes);
}

// What gRPC has received of them is free again, however many have come and from several peers at once. Sanitizers use
// memory of their own for each byte.
TEST(Endpoint, FreesEveryFrameThatIsTooLarge) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP();
#endif
  Side server("key", {.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}});
  const std::string address = server.endpoint.listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{2} << 20;
  constexpr int peers = 4;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 50; ++round) {
    Side client("key");
    for (int i = 0; i < peers; ++i) {
      const PeerId peer = client.endpoint.connect(address);
      client.endpoint.send(peer, hello());
      client.endpoint.send(peer, want(1), tail);
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

TEST(Endpoint, EndsAStreamThatItOpenedWhereAFrameIsTooLarge) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side client("key", {.accepted = {}, .opened = {.control_bytes = 1000, .tail_bytes = 4000}});
  const PeerId peer = client.endpoint.connect(address);
  client.endpoint.send(peer, hello());
  server.endpoint.send(server.next<Arrived>().from, want(1), tail_of(2000));
  EXPECT_EQ(client.next<Closed>().peer, peer);
}

TEST(Endpoint, TellsThatNobodyListens) {
  Side client("key");
  const PeerId peer = client.endpoint.connect(new_address());
  EXPECT_EQ(client.next<Closed>().peer, peer);
}

// gRPC ends its own threads with the last channel of the process, which must therefore not go on one of them. No server
// is here: it would keep those threads.
TEST(Endpoint, OutlivesTheLastOfItsStreams) {
  for (int round = 0; round < 100; ++round) {
    Side client("key");
    for (int streams = 0; streams < 3; ++streams) {
      const PeerId peer = client.endpoint.connect(new_address());
      EXPECT_EQ(client.next<Closed>().peer, peer);
    }
  }
}

}  // namespace
}  // namespace carrack::train
