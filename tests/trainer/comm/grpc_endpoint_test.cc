#include "trainer/comm/transport/grpc_endpoint.h"
#include "trainer/comm/transport/member_socket.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/http/addresses.h"
#include "tests/contract/endpoint_contract.h"
#include "tests/support/no_new_threads.h"
#include "tests/trainer/comm/grpc_sides.h"
#include "trainer/comm/transport/member_connection.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

INSTANTIATE_TEST_SUITE_P(Grpc, EndpointContract, testing::Values([] { return Network{with(generous), new_address}; }));
INSTANTIATE_TEST_SUITE_P(Encrypted, EndpointContract, testing::Values([] {
                           return Network{with(generous, the_start, "", true), new_address};
                         }));

// A side that accepted a stream ends its call, and one that opened it cancels it, so gRPC chooses the words.
ProcessNetwork network(bool encrypts) {
  const auto make = [encrypts](Inbox& inbox, const EndpointLimits& limits, const MemberStart& self) {
    return with(limits, self, "", encrypts)(inbox);
  };
  return {make, new_address, "the other side ended it", "CANCELLED", "Cancelled on the server side"};
}

INSTANTIATE_TEST_SUITE_P(Grpc, ProcessEndpointContract, testing::Values([] { return network(false); }));
INSTANTIATE_TEST_SUITE_P(Encrypted, ProcessEndpointContract, testing::Values([] { return network(true); }));

TEST(GrpcEndpoint, ServesAtANameThatIsNoFile) {
  Side server(with(generous));
  const std::string address = server.endpoint->listen("unix-abstract:carrack-endpoint-" + std::to_string(getpid()));
  Side client(with(generous));
  client.endpoint->send(client.endpoint->connect(address, the_member), hello(7));
  EXPECT_EQ(server.next<Arrived>().part.message->hello().leases(), 7u);
}

TEST(GrpcEndpoint, ServesAtAPortOfEitherFamily) {
  for (const std::string host : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string address = listen_at(host + ":0").address;  // which is free again
    EXPECT_TRUE(address.starts_with(host + ":") && !address.ends_with(":0")) << address;
    const std::string name = "dns:///" + address;
    Side server(with(generous, the_start, name)), client(with(generous));
    EXPECT_EQ(server.endpoint->listen(address), address);
    client.endpoint->send(client.endpoint->connect(name, the_member), hello(7));
    EXPECT_EQ(server.next<Arrived>().part.message->hello().leases(), 7u);
  }
}

std::string why_not_listening(const std::string& address) {
  try {
    Side(with(generous)).endpoint->listen(address);
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::platform);
    return error.what();
  }
  return "it listens";
}

TEST(GrpcEndpoint, SaysWhyItCannotListen) {
  Side server(with(generous));
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  EXPECT_EQ(why_not_listening(address), "cannot listen at " + address + ": Address already in use");
  EXPECT_EQ(why_not_listening("127.0.0.1:port"),
            "cannot listen at 127.0.0.1:port: cannot find 127.0.0.1: Servname not supported for ai_socktype");
  const std::string path = "unix:/tmp/" + std::string(200, 'a');
  EXPECT_EQ(why_not_listening(path), "cannot listen at " + path + ": the address is too long");
}

TEST(GrpcEndpoint, SaysWhyItCannotConnect) {
  Side client(with(generous));
  client.endpoint->connect("unix:/tmp/" + std::string(200, 'a'), the_member);
  EXPECT_EQ(client.next<Closed>().why, "the address is too long");
  client.endpoint->connect("127.0.0.1:port", the_member);
  EXPECT_EQ(client.next<Closed>().why, "cannot find 127.0.0.1: Servname not supported for ai_socktype");
}

TEST(GrpcEndpoint, ListensWhereAKilledProcessLeftItsSocketFile) {
  const std::string address = new_address();
  const Listening left = listen_at(address);
  Side server(with(generous)), client(with(generous));
  server.endpoint->listen(address);
  client.endpoint->send(client.endpoint->connect(address, the_member), hello(7));
  EXPECT_EQ(server.next<Arrived>().part.message->hello().leases(), 7u);
}

data::Address address_of(const std::string& host_and_port) {
  const std::size_t colon = host_and_port.rfind(':');
  const data::Addresses found =
      data::addresses_of({.host = host_and_port.substr(0, colon), .port = host_and_port.substr(colon + 1), .name = ""});
  return std::get<std::vector<data::Address>>(found).front();
}

// Each address has the whole time of an opening. Where the queue of a listener is full, nobody answers a connect.
TEST(MemberSocket, TriesTheNextAddressIfOneDoesNotAnswer) {
  const Listening full = listen_at("127.0.0.1:0"), other = listen_at("127.0.0.1:0");
  ASSERT_EQ(listen(full.socket.descriptor(), 0), 0);
  data::Stop stop;
  const auto in_the_queue = connect_to(full.address, stop);
  ASSERT_TRUE(std::holds_alternative<Connected>(in_the_queue));
  const Clock::time_point begin = Clock::now();
  const std::vector addresses = {address_of(full.address), address_of(other.address)};
  const auto connected = connect_to(addresses, stop);
  ASSERT_TRUE(std::holds_alternative<Connected>(connected));
  EXPECT_GE(std::get<Connected>(connected).deadline, begin + 2 * opening_time_max);
}

TEST(GrpcEndpoint, SaysThatItCannotConnectWithoutAThread) {
  Side client(with(generous));
  {
    const tests::NoNewThreads none;
    client.endpoint->connect("unix:/tmp/nobody-listens", the_member);
  }
  EXPECT_EQ(client.next<Closed>().why, "cannot start a thread: Resource temporarily unavailable");
}

// The connection of a member, which has proven who it is, carries its one stream and nothing else.
TEST(GrpcEndpoint, EndsAStreamThatIsNotTheOneOfItsConnection) {
  Side server(with(generous));
  const std::string address = server.endpoint->listen("127.0.0.1:0");
  data::Stop stop;
  auto opened = open_connection(address, {the_key->bytes(), the_start}, the_member, stop);
  auto& connection = std::get<ProvenConnection>(opened);
  grpc::GenericStub stub(grpc::CreateInsecureChannelFromFd("server", connection.socket.release()));
  grpc::ClientContext context;
  const grpc::Slice bytes("want");
  const grpc::ByteBuffer request(&bytes, 1);
  grpc::ByteBuffer reply;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/carrack.train/Stream", grpc::StubOptions(), &request, &reply,
                 [&](const grpc::Status& status) { ended.set_value(status); });
  const grpc::Status status = ended.get_future().get();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "a connection carries one stream");
  EXPECT_FALSE(server.inbox.next(Clock::now()));
}

// gRPC 1.51 receives a message before it compares its size, so one is in memory for a moment, and perhaps a while
// longer in the allocator. But the endpoint keeps none: eight of them take no more memory than a few. The address
// sanitizer keeps what was freed for a while.
TEST(GrpcEndpoint, KeepsNoFrameThatIsTooLarge) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP();
#endif
  Side server(with({.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}}));
  const std::string address = server.endpoint->listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{64} << 20;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 8; ++i) {
    Side client(with(generous));
    const PeerId peer = client.endpoint->connect(address, the_member);
    client.endpoint->send(peer, hello());
    server.next<Arrived>();
    client.endpoint->send(peer, want(1), tail);
    server.next<Closed>();
    EXPECT_EQ(client.next<Closed>().peer, peer);
  }
  EXPECT_LT(resident_bytes(), before + 4 * frame_bytes);
}

// What gRPC has received of them is free again, however many have come and from several peers at once. Sanitizers use
// memory of their own for each byte.
TEST(GrpcEndpoint, FreesEveryFrameThatIsTooLarge) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP();
#endif
  Side server(with({.accepted = {.control_bytes = 1000, .tail_bytes = 4000}, .opened = {}}));
  const std::string address = server.endpoint->listen(new_address());
  constexpr std::size_t frame_bytes = std::size_t{2} << 20;
  constexpr int peers = 4;
  const Tail tail = tail_of(frame_bytes / sizeof(float));
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 50; ++round) {
    Side client(with(generous));
    for (int i = 0; i < peers; ++i) {
      const PeerId peer = client.endpoint->connect(address, the_member);
      client.endpoint->send(peer, hello());
      client.endpoint->send(peer, want(1), tail);
    }
    for (int closed = 0; closed < peers;) {
      const std::optional<Event> event = server.inbox.next(Clock::now() + soon);
      ASSERT_TRUE(event);
      if (const auto* arrived = std::get_if<Arrived>(&*event)) {
        EXPECT_TRUE(arrived->part.message->has_hello());
      } else {
        ++closed;
      }
    }
    for (int i = 0; i < peers; ++i) client.next<Closed>();
  }
  EXPECT_LT(resident_bytes(), before + (std::size_t{64} << 20)) << "400 MiB were sent";
}

// A server that has done its work ends while the workers' streams end by themselves.
TEST(GrpcEndpoint, EndsWhileItsStreamsEnd) {
  for (int round = 0; round < 50; ++round) {
    Side server(with(generous));
    const std::string address = server.endpoint->listen("127.0.0.1:0");
    std::vector<std::unique_ptr<Side>> clients;
    for (int i = 0; i < 8; ++i) {
      clients.push_back(std::make_unique<Side>(with(generous)));
      clients.back()->endpoint->send(clients.back()->endpoint->connect(address, the_member), hello());
      server.next<Arrived>();
    }
    const auto end_clients = std::async(std::launch::async, [&clients] { clients.clear(); });
    std::this_thread::sleep_for(std::chrono::microseconds(100 * round));  // Each round at another moment.
    server.endpoint.reset();
  }
}

}  // namespace
}  // namespace carrack::train
