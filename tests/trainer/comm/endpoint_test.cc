#include "trainer/comm/transport/endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto soon = std::chrono::seconds(10);

// An end of streams, and what has come to it.
struct Side {
  explicit Side(std::string key) : endpoint(inbox, std::move(key)) {}

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

TEST(Endpoint, CarriesFramesBothWaysInOrder) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side client("key");
  const PeerId to_server = client.endpoint.connect(address);
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
      while (!stop.stop_requested()) client.endpoint.send(client.endpoint.connect(address), want(1));
    });
    server->next<Arrived>();
    server.reset();
  }
}

TEST(Endpoint, ServesAtANameThatIsNoFile) {
  Side server("key");
  const std::string address = server.endpoint.listen("unix-abstract:carrack-endpoint-" + std::to_string(getpid()));
  Side client("key");
  client.endpoint.send(client.endpoint.connect(address), want(1));
  EXPECT_EQ(server.next<Arrived>().frame.message.want().version(), 1u);
}

TEST(Endpoint, EndsAStreamThatDoesNotKnowTheKey) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side stranger("another");
  stranger.endpoint.send(stranger.endpoint.connect(address), want(1));
  EXPECT_EQ(stranger.next<Closed>().why, "the key of this run is another one");
  EXPECT_FALSE(server.inbox.next(Clock::now() + std::chrono::milliseconds(100)));
}

TEST(Endpoint, TellsBothSidesOfAnEnd) {
  Side server("key");
  const std::string address = server.endpoint.listen(new_address());
  Side client("key");
  const PeerId to_server = client.endpoint.connect(address);
  client.endpoint.send(to_server, want(1));
  const PeerId to_client = server.next<Arrived>().from;
  server.endpoint.close(to_client);
  EXPECT_EQ(client.next<Closed>().peer, to_server);
  EXPECT_EQ(server.next<Closed>().peer, to_client);
  client.endpoint.send(to_server, want(2));  // Dropped: nobody is there.
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
