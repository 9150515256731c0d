#include "trainer/comm/transport/local_endpoint.h"

#include <gtest/gtest.h>

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
