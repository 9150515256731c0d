#include "trainer/comm/transport/local_endpoint.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/contract/endpoint_contract.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

Network local_network() {
  return {[hub = std::make_shared<LocalHub>()](Inbox& inbox) { return hub->new_endpoint(inbox); },
          [number = 0]() mutable { return "address-" + std::to_string(++number); }};
}

INSTANTIATE_TEST_SUITE_P(Local, EndpointContract, testing::Values(local_network));

class LocalEndpoint : public testing::Test {
 protected:
  Network network = local_network();
  Side server{network.make}, client{network.make};
};

TEST_F(LocalEndpoint, CopiesNoFloats) {
  const PeerId peer = client.endpoint->connect(server.endpoint->listen("server"), the_member);
  const auto shared = std::make_shared<const Floats>(2, 0.0f);
  client.endpoint->send(peer, hello(), Tail(shared, *shared));
  EXPECT_EQ(server.next_frame().tail.values().data(), shared->data());
  Floats own(2, 0.0f);
  const float* values = own.data();
  client.endpoint->send(peer, want(1), Tail(std::move(own)));
  EXPECT_EQ(server.next_frame().tail.values().data(), values);
}

// Fills the memory that was freed before, so that what still uses it fails.
void overwrite_freed_memory() {
  static auto& blocks = *new std::vector<void*>();
  for (std::size_t size = 16; size <= 256; size += 16) {
    for (int i = 0; i < 1000; ++i) blocks.push_back(std::memset(std::malloc(size), 0xff, size));
  }
}

// A program may call exit() while a thread of the library sends. The handler runs after the destruction of all static
// objects that the first send has made, as it was registered before them.
TEST(EndpointDeathTest, SendsWhileTheProcessExits) {
  const auto send_in_exit = [] {
    static auto& hub = *new LocalHub();
    static auto& inbox = *new Inbox();
    static auto& endpoint = *hub.new_endpoint(inbox).release();
    static const PeerId peer = endpoint.connect("nobody", the_member);
    std::atexit([] {
      overwrite_freed_memory();
      endpoint.send(peer, hello());
      std::fputs("sent", stderr);
    });
    endpoint.send(peer, hello());
    std::exit(0);
  };
  EXPECT_EXIT(send_in_exit(), testing::ExitedWithCode(0), "sent");
}

TEST_F(LocalEndpoint, GivesAnAddressToOneListener) {
  server.endpoint->listen("server");
  EXPECT_THROW(client.endpoint->listen("server"), Error);
}

TEST_F(LocalEndpoint, FreesItsAddressWhenItEnds) {
  server.endpoint->listen("server");
  server.endpoint.reset();
  client.endpoint->listen("server");
}

}  // namespace
}  // namespace carrack::train
