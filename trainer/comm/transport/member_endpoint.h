// MemberEndpoint: the endpoint (endpoint.h) of a process that runs one role of a job, with strategy ParameterServer.
// Streams to addresses `shm:PATH` use shared memory, because their other side is on this machine; all other streams use
// gRPC. Both sides of a stream use the same, because they check in the opening that they use the same address.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trainer/comm/transport/grpc_endpoint.h"
#include "trainer/comm/transport/shared_memory_endpoint.h"

namespace carrack::train {

class MemberEndpoint final : public Endpoint {
 public:
  // `inbox` must outlive this. `log` gets human-readable lines about connections that failed, on any thread, and
  // possibly on two at the same time. It must not be empty, and must not throw.
  MemberEndpoint(Inbox& inbox, const Identity& identity, const EndpointLimits& limits,
                 const std::function<void(const std::string&)>& log)
      : grpc_(inbox, identity, limits, log), shared_memory_(inbox, identity, limits, log) {}

  std::string listen(const std::string& address) override { return of(address).listen(address); }
  PeerId connect(const std::string& address, const ExpectedMember& expected) override {
    return of(address).connect(address, expected);
  }

 private:
  std::shared_ptr<Stream> find(PeerId peer) override {
    return peer < SharedMemoryEndpoint::id_min ? grpc_.find(peer) : shared_memory_.find(peer);
  }
  Endpoint& of(const std::string& address) {
    if (address.starts_with("shm:")) return shared_memory_;
    return grpc_;
  }

  GrpcEndpoint grpc_;
  SharedMemoryEndpoint shared_memory_;
};

}  // namespace carrack::train
