// Streams that bring more than their receiver handles.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/trainer/comm/grpc_sides.h"
#include "tests/trainer/has_sanitizer.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// The messages that are there while none is handled: as many as there may be, and no more.
std::vector<Arrived> unhandled_messages(Side& side) {
  std::vector<Arrived> all;
  while (all.size() < std::size_t{unhandled_max}) all.push_back(side.next<Arrived>());
  EXPECT_FALSE(side.inbox.next(Clock::now() + std::chrono::milliseconds(100)));
  return all;
}

// What a receiver does not handle stays with the sender, and with gRPC as far as it looks ahead.
TEST(GrpcEndpoint, ReadsNoMoreThanIsHandled) {
  for (const bool accepted : {true, false}) {
    Side server(with(generous)), client(with(generous));
    const PeerId to_server = client.endpoint->connect(server.endpoint->listen(new_address()), the_member);
    client.endpoint->send(to_server, hello());
    const PeerId to_client = server.next<Arrived>().from;
    Side& receiver = accepted ? server : client;
    Side& sender = accepted ? client : server;
    const Tail tail = tail_of(std::size_t{1} << 20);  // four messages
    constexpr std::uint64_t frames = 16;
    const std::size_t before = resident_bytes();
    for (std::uint64_t i = 0; i < frames; ++i) sender.endpoint->send(accepted ? to_server : to_client, want(i), tail);
    for (std::size_t messages = 0; messages < 4 * frames;) {
      const std::vector<Arrived> unhandled = unhandled_messages(receiver);
      for (const Arrived& arrived : unhandled) EXPECT_EQ(arrived.part.message->want().version(), messages++ / 4);
      EXPECT_TRUE(has_sanitizer || resident_bytes() < before + (std::size_t{24} << 20)) << "64 MiB were sent";
    }
  }
}

// The end of a stream that is not read, and of an endpoint that has such streams, waits for nobody who handles events.
TEST(GrpcEndpoint, EndsAStreamWhoseMessagesAreNotHandled) {
  for (const bool cancelled : {true, false}) {
    std::vector<Arrived> of_client, of_server;
    {
      Side server(with(generous)), client(with(generous));
      const PeerId to_server = client.endpoint->connect(server.endpoint->listen(new_address()), the_member);
      client.endpoint->send(to_server, hello());
      const PeerId to_client = server.next<Arrived>().from;
      for (std::uint64_t i = 0; i < 20; ++i) {
        client.endpoint->send(to_server, want(i), tail_of(1000));
        server.endpoint->send(to_client, want(i), tail_of(1000));
      }
      of_client = unhandled_messages(client);
      of_server = unhandled_messages(server);
      if (!cancelled) continue;  // All ends here.
      client.endpoint->cancel(to_server);
      EXPECT_EQ(client.next<Closed>().peer, to_server);
      EXPECT_EQ(server.next<Closed>().peer, to_client);
    }
    for (const Arrived& arrived : of_client) {
      Floats values(1000);
      arrived.part.piece.copy(0, values);
      EXPECT_EQ(values, Floats(1000, 1.5f)) << "what was received outlives the endpoint";
    }
  }
}

// Both sides go on when one of them, which was not handling what came, handles it again.
TEST(GrpcEndpoint, HearsOfAnEndBehindWhatWasSentBeforeIt) {
  Side server(with(generous)), client(with(generous));
  const PeerId to_server = client.endpoint->connect(server.endpoint->listen(new_address()), the_member);
  client.endpoint->send(to_server, hello());
  const PeerId to_client = server.next<Arrived>().from;
  for (std::uint64_t i = 0; i < 20; ++i) server.endpoint->send(to_client, want(i));
  server.endpoint->close(to_client);
  unhandled_messages(client);
  for (std::uint64_t i = unhandled_max; i < 20; ++i)
    EXPECT_EQ(client.next<Arrived>().part.message->want().version(), i);
  EXPECT_EQ(client.next<Closed>().peer, to_server);
}

// Zeros, whose pages are all the one page of zeros, so they take no memory.
Tail zeros(std::size_t bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot map memory");
  const SharedFloats owner(new Floats, [=](const Floats* nothing) {
    munmap(mapped, bytes);
    delete nothing;
  });
  return {owner, {static_cast<const float*>(mapped), bytes / sizeof(float)}};
}

TEST(GrpcEndpoint, CarriesATailOfMoreThan32BitsOfBytes) {
  constexpr std::size_t bytes = std::size_t{8} << 30;
  constexpr FrameLimits eight_gib{.control_bytes = std::size_t{1} << 20, .tail_bytes = bytes};
  Side server(with({.accepted = eight_gib, .opened = eight_gib})), client(with(generous));
  const std::string address = server.endpoint->listen(new_address());
  const PeerId to_server = client.endpoint->connect(address, the_member);
  client.endpoint->send(to_server, hello());
  server.next<Arrived>();
  client.endpoint->send(to_server, want(1), zeros(bytes));
  std::size_t values = 0;
  for (bool is_last = false; !is_last;) {
    const Arrived arrived = server.next<Arrived>();
    ASSERT_EQ(arrived.part.piece.begin(), values);
    ASSERT_EQ(arrived.part.piece.total(), bytes / sizeof(float));
    values = arrived.part.piece.end();
    is_last = arrived.part.piece.is_last();
  }
  EXPECT_EQ(values, bytes / sizeof(float));
}

}  // namespace
}  // namespace carrack::train
