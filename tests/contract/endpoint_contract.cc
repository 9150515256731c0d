#include "tests/contract/endpoint_contract.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace carrack::train {
namespace {

TEST_P(EndpointContract, CarriesFramesBothWaysInOrder) {
  const auto server = new_side(), client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  EXPECT_TRUE(server->next<Arrived>().part.message->has_hello());
  const auto floats = std::make_shared<const Floats>(300'000, 1.5f);
  for (std::uint64_t i = 0; i < 20; ++i) client->endpoint->send(to_server, want(i), Tail{floats, *floats});
  PeerId to_client = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto [from, message, tail] = server->next_frame();
    EXPECT_EQ(message->want().version(), i);
    EXPECT_TRUE(std::ranges::equal(tail.values(), *floats));
    to_client = from;
  }
  server->endpoint->send(to_client, want(99));
  EXPECT_EQ(client->next<Arrived>().part.message->want().version(), 99u);
}

// A long tail comes in pieces between processes, and as a whole within one.
TEST_P(EndpointContract, DeliversThePartsOfAFrameInOrder) {
  const auto server = new_side(), client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  server->next<Arrived>();
  const auto floats = std::make_shared<const Floats>(1'000'000, 1.5f);
  for (std::uint64_t i = 0; i < 3; ++i) client->endpoint->send(to_server, want(i), Tail{floats, *floats});
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::shared_ptr<const wire::Message> message;
    for (std::size_t end = 0; end < floats->size();) {
      const FramePart part = server->next<Arrived>().part;
      EXPECT_EQ(part.message->want().version(), i);
      EXPECT_TRUE(message == nullptr || part.message == message) << "the parts share it";
      message = part.message;
      EXPECT_EQ(part.piece.begin(), end);
      EXPECT_EQ(part.piece.total(), floats->size());
      ASSERT_GT(part.piece.end(), end);
      end = part.piece.end();
    }
  }
}

TEST_P(EndpointContract, TellsStreamsApart) {
  const auto server = new_side(), client = new_side();
  const std::string address = server->endpoint->listen(new_address());
  std::vector<PeerId> to_client;
  for (std::uint32_t number = 0; number < 3; ++number) {
    client->endpoint->send(client->endpoint->connect(address, the_member), hello(number));
    const Arrived arrived = server->next<Arrived>();
    EXPECT_EQ(arrived.part.message->hello().leases(), number);
    to_client.push_back(arrived.from);
  }
  server->endpoint->close(to_client[1]);
  EXPECT_EQ(server->next<Closed>().peer, to_client[1]);
  client->next<Closed>();
  server->endpoint->send(to_client[2], want(7));
  EXPECT_EQ(client->next<Arrived>().part.message->want().version(), 7u) << "the other streams go on";
}

TEST_P(EndpointContract, EndsThoughOthersKeepOpeningStreams) {
  for (int round = 0; round < 20; ++round) {
    auto server = new_side();
    const std::string address = server->endpoint->listen(new_address());
    const std::jthread members([&](const std::stop_token& stop) {
      const auto client = new_side();
      while (!stop.stop_requested()) client->endpoint->send(client->endpoint->connect(address, the_member), hello());
    });
    server->next<Arrived>();
    server.reset();
  }
}

TEST_P(EndpointContract, TellsBothSidesOfAnEnd) {
  const auto server = new_side(), client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  const PeerId to_client = server->next<Arrived>().from;
  server->endpoint->close(to_client);
  EXPECT_EQ(client->next<Closed>().peer, to_server);
  EXPECT_EQ(server->next<Closed>().peer, to_client);
  client->endpoint->send(to_server, want(2));  // Dropped: nobody is there.
  EXPECT_FALSE(server->inbox.next(std::chrono::steady_clock::now() + std::chrono::milliseconds(20)));
}

TEST_P(EndpointContract, TellsBothSidesOfACancelledStream) {
  const auto server = new_side(), client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  const PeerId to_client = server->next<Arrived>().from;
  client->endpoint->cancel(to_server);
  EXPECT_EQ(server->next<Closed>().peer, to_client);
  EXPECT_EQ(client->next<Closed>().peer, to_server);
}

TEST_P(EndpointContract, KnowsWhichStreamsAreOpen) {
  const auto server = new_side(), client = new_side();
  const std::string address = new_address();
  const PeerId to_nobody = client->endpoint->connect(address, the_member);
  client->next<Closed>();
  EXPECT_FALSE(client->endpoint->is_open(to_nobody));
  EXPECT_FALSE(client->endpoint->is_open(0));
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(address), the_member);
  client->endpoint->send(to_server, hello());
  const PeerId to_client = server->next<Arrived>().from;
  EXPECT_TRUE(client->endpoint->is_open(to_server));
  EXPECT_TRUE(server->endpoint->is_open(to_client));
  server->endpoint->close(to_client);
  client->next<Closed>();
  EXPECT_FALSE(client->endpoint->is_open(to_server));
}

TEST_P(EndpointContract, SendsWhatIsQueuedBeforeItClosesAStream) {
  const auto server = new_side(), client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  for (std::uint64_t i = 0; i < 20; ++i) client->endpoint->send(to_server, want(i));
  client->endpoint->close(to_server);
  client->endpoint->send(to_server, want(20));  // Dropped.
  EXPECT_TRUE(server->next<Arrived>().part.message->has_hello());
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(server->next<Arrived>().part.message->want().version(), i);
  server->next<Closed>();
  EXPECT_EQ(client->next<Closed>().peer, to_server);
}

TEST_P(EndpointContract, TellsTheOtherSidesOfItsOwnEnd) {
  auto server = new_side();
  const auto client = new_side();
  const PeerId to_server = client->endpoint->connect(server->endpoint->listen(new_address()), the_member);
  client->endpoint->send(to_server, hello());
  server->next<Arrived>();
  server.reset();
  EXPECT_EQ(client->next<Closed>().peer, to_server);
}

TEST_P(EndpointContract, TellsThatNobodyListens) {
  const auto client = new_side();
  const PeerId peer = client->endpoint->connect(new_address(), the_member);
  EXPECT_EQ(client->next<Closed>().peer, peer);
}

// gRPC ends its own threads with the last channel of the process, which must therefore not go on one of them. No server
// is here: it would keep those threads.
TEST_P(EndpointContract, OutlivesTheLastOfItsStreams) {
  for (int round = 0; round < 100; ++round) {
    const auto client = new_side();
    for (int streams = 0; streams < 3; ++streams) {
      const PeerId peer = client->endpoint->connect(new_address(), the_member);
      EXPECT_EQ(client->next<Closed>().peer, peer);
    }
  }
}

}  // namespace
}  // namespace carrack::train
