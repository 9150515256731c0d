#include "trainer/comm/transport/shared_memory_endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract/endpoint_contract.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/has_sanitizer.h"
#include "trainer/comm/transport/member_endpoint.h"
#include "trainer/comm/transport/shared_frames.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr FrameLimits megabytes{.control_bytes = std::size_t{4} << 20, .tail_bytes = std::size_t{64} << 20};
constexpr EndpointLimits generous{.accepted = megabytes, .opened = megabytes};

const auto the_key = std::make_shared<const Key>("the key of the tests, which is long enough");

NewEndpoint with(const EndpointLimits& limits, const MemberStart& self = the_start) {
  return [=](Inbox& inbox) {
    return std::make_unique<SharedMemoryEndpoint>(inbox, Identity{the_key, self}, limits, [](const std::string&) {});
  };
}

std::string new_address() {
  static const data::TemporaryFolder folder;
  static int number = 0;
  return "shm:" + folder.path() + "/" + std::to_string(++number);
}

INSTANTIATE_TEST_SUITE_P(SharedMemory, EndpointContract, testing::Values([] {
                           return Network{with(generous), new_address};
                         }));

INSTANTIATE_TEST_SUITE_P(SharedMemory, ProcessEndpointContract, testing::Values([] {
                           const auto make = [](Inbox& inbox, const EndpointLimits& limits, const MemberStart& self) {
                             return with(limits, self)(inbox);
                           };
                           const std::string breach = "it does not follow the protocol of the stream";
                           return ProcessNetwork{make, new_address, breach, breach, "the other side ended it"};
                         }));

// A stream whose Hello has arrived.
struct Pair {
  explicit Pair(const EndpointLimits& limits = generous) : server(with(limits)), client(with(limits)) {
    to_server = client.endpoint->connect(server.endpoint->listen(new_address()), the_member);
    client.endpoint->send(to_server, hello());
    to_client = server.next<Arrived>().from;
  }

  Side server, client;
  PeerId to_server = 0, to_client = 0;
};

Tail tail_of(std::size_t floats) {
  const auto values = std::make_shared<Floats>(floats, 0.0f);
  for (std::size_t i = 0; i < floats; ++i) (*values)[i] = static_cast<float>(i);
  return {values, *values};
}

// Around the sizes of a piece and of the ring, from where in the ring the frames before have ended.
TEST(SharedMemoryEndpoint, CarriesTailsOfAnySize) {
  Pair pair;
  constexpr std::size_t piece = shared_piece_bytes / sizeof(float), ring = SharedMemory::ring_bytes / sizeof(float);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, piece - 1, piece, piece + 1, ring - 1, ring, ring + 1, 3 * ring + 5}) {
    pair.client.endpoint->send(pair.to_server, want(size), tail_of(size));
    pair.server.endpoint->send(pair.to_client, want(size), tail_of(size));
    for (Side* side : {&pair.server, &pair.client}) {
      const Side::WholeFrame frame = side->next_frame();
      EXPECT_EQ(frame.message->want().version(), size);
      EXPECT_TRUE(std::ranges::equal(frame.tail.values(), tail_of(size).values())) << size;
    }
  }
}

TEST(SharedMemoryEndpoint, CarriesAControlPartThatIsLongerThanTheRing) {
  Pair pair;
  wire::Message message;
  message.mutable_refused()->set_reason(std::string(SharedMemory::ring_bytes + 12'345, 'a'));
  for (int i = 0; i < 3; ++i) pair.client.endpoint->send(pair.to_server, message, tail_of(1000));
  for (int i = 0; i < 3; ++i) {
    const Side::WholeFrame frame = pair.server.next_frame();
    EXPECT_EQ(frame.message->refused().reason().size(), SharedMemory::ring_bytes + 12'345);
    EXPECT_EQ(frame.tail.values().size(), 1000u);
  }
}

// What is queued behind a full ring is no copy: the sender's vector is read when there is space.
TEST(SharedMemoryEndpoint, HoldsATailOnceUntilThereIsSpace) {
  Pair pair;
  constexpr std::size_t floats = 2 * SharedMemory::ring_bytes / sizeof(float);
  const auto values = std::make_shared<Floats>(floats, 1.0f);
  pair.client.endpoint->send(pair.to_server, want(1), {values, *values});
  EXPECT_EQ(values.use_count(), 2);
  values->back() = 2;
  const Side::WholeFrame frame = pair.server.next_frame();
  EXPECT_EQ(frame.tail.values().front(), 1);
  EXPECT_EQ(frame.tail.values().back(), 2);
  // The sender releases it on a thread of its own.
  for (const auto end = Clock::now() + std::chrono::seconds(5); values.use_count() > 1 && Clock::now() < end;)
    std::this_thread::yield();
  EXPECT_EQ(values.use_count(), 1) << "what was sent is released";
}

// The parts that are there while none is handled: as many as there may be, and no more.
std::vector<Arrived> unhandled_parts(Side& side) {
  std::vector<Arrived> all;
  while (all.size() < std::size_t{unhandled_max}) all.push_back(side.next<Arrived>());
  EXPECT_FALSE(side.inbox.next(Clock::now() + std::chrono::milliseconds(200)));
  return all;
}

TEST(SharedMemoryEndpoint, ReadsNoMoreThanIsHandled) {
  Pair pair;
  for (std::uint64_t i = 0; i < 20; ++i) pair.client.endpoint->send(pair.to_server, want(i));
  for (std::uint64_t i = 0; i < 20;) {
    for (const Arrived& arrived : unhandled_parts(pair.server)) EXPECT_EQ(arrived.part.message->want().version(), i++);
  }
}

// In bytes, by /proc: of this process, without the memory that it shares.
std::size_t own_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0, shared = 0;
  file >> all >> resident >> shared;
  return (resident - shared) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(SharedMemoryEndpoint, TakesNoMemoryForWhatArrives) {
  Pair pair;
  constexpr std::size_t bytes = std::size_t{32} << 20;
  const Tail tail = tail_of(bytes / sizeof(float));
  const std::size_t before = own_bytes();
  pair.client.endpoint->send(pair.to_server, want(1), tail);
  for (std::size_t end = 0; end < bytes / sizeof(float);) {
    const Arrived arrived = pair.server.next<Arrived>();
    EXPECT_EQ(arrived.part.piece.begin(), end);
    end = arrived.part.piece.end();
    EXPECT_LE((end - arrived.part.piece.begin()) * sizeof(float), shared_piece_bytes);
    EXPECT_TRUE(has_sanitizer || own_bytes() < before + (std::size_t{2} << 20)) << "32 MiB are sent";
  }
}

// Pieces that are in use hold back the sender. They may be released in any order.
TEST(SharedMemoryEndpoint, GoesOnOncePiecesAreReleased) {
  Pair pair;
  constexpr int pieces = 18;
  pair.client.endpoint->send(pair.to_server, want(1), tail_of(pieces * shared_piece_bytes / sizeof(float)));
  for (int i = 0; i < pieces; i += 3) {
    std::vector<Piece> in_use;
    while (in_use.size() < 3) in_use.push_back(pair.server.next<Arrived>().part.piece);
    for (const std::ptrdiff_t middle_last_first : {1, 1, 0}) in_use.erase(in_use.begin() + middle_last_first);
  }
}

TEST(SharedMemoryEndpoint, EndsAStreamWhosePartsAreNotHandled) {
  for (const bool cancelled : {true, false}) {
    std::vector<Arrived> of_client, of_server;
    {
      Pair pair;
      for (std::uint64_t i = 0; i < 20; ++i) {
        pair.client.endpoint->send(pair.to_server, want(i), tail_of(1000));
        pair.server.endpoint->send(pair.to_client, want(i), tail_of(1000));
      }
      of_client = unhandled_parts(pair.client);
      of_server = unhandled_parts(pair.server);
      if (!cancelled) continue;  // All ends here.
      pair.client.endpoint->cancel(pair.to_server);
      EXPECT_EQ(pair.client.next<Closed>().peer, pair.to_server);
      EXPECT_EQ(pair.server.next<Closed>().peer, pair.to_client);
    }
    for (const Arrived& arrived : of_client) {
      Floats values(1000);
      arrived.part.piece.copy(0, values);
      EXPECT_TRUE(std::ranges::equal(values, tail_of(1000).values())) << "what was received outlives the endpoint";
    }
  }
}

TEST(SharedMemoryEndpoint, HearsOfAnEndBehindWhatWasSentBeforeIt) {
  Pair pair;
  for (std::uint64_t i = 0; i < 20; ++i) pair.server.endpoint->send(pair.to_client, want(i));
  pair.server.endpoint->close(pair.to_client);
  unhandled_parts(pair.client);
  for (std::uint64_t i = unhandled_max; i < 20; ++i)
    EXPECT_EQ(pair.client.next<Arrived>().part.message->want().version(), i);
  EXPECT_EQ(pair.client.next<Closed>().why, "the other side ended it");
}

TEST(SharedMemoryEndpoint, SaysWhyItCannotListen) {
  try {
    Side(with(generous)).endpoint->listen("shm:/tmp/" + std::string(200, 'a'));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot listen at shm:/tmp/" + std::string(200, 'a') + ": the address is too long");
  }
}

// One endpoint has streams of both kinds, and tells them apart.
TEST(MemberEndpoint, ChoosesTheTransportByTheAddress) {
  const NewEndpoint make = [](Inbox& inbox) {
    return std::make_unique<MemberEndpoint>(inbox, Identity{the_key, the_start}, generous, [](const std::string&) {});
  };
  Side near(make), far(make), client(make);
  const PeerId to_near = client.endpoint->connect(near.endpoint->listen(new_address()), the_member);
  const PeerId to_far = client.endpoint->connect(far.endpoint->listen("127.0.0.1:0"), the_member);
  EXPECT_GE(to_near, SharedMemoryEndpoint::id_min);
  EXPECT_LT(to_far, SharedMemoryEndpoint::id_min);
  client.endpoint->send(to_near, hello(1));
  client.endpoint->send(to_far, hello(2));
  EXPECT_EQ(near.next<Arrived>().part.message->hello().leases(), 1u);
  EXPECT_EQ(far.next<Arrived>().part.message->hello().leases(), 2u);
  EXPECT_TRUE(client.endpoint->is_open(to_near) && client.endpoint->is_open(to_far));
  near.endpoint.reset();
  EXPECT_EQ(client.next<Closed>().peer, to_near);
  EXPECT_TRUE(client.endpoint->is_open(to_far));
}

}  // namespace
}  // namespace carrack::train
