// GrpcEndpoint: an Endpoint (endpoint.h) whose streams lead to other processes, over gRPC. MemberEndpoint uses it.
//
// Each stream has a connection of its own, on which both sides first prove that they know the job's key
// (protocol/opening.h). Before that no frame is sent or read, and gRPC does not get the connection. The endpoint ends a
// stream in three cases: the other side sends something that is not a frame within the limits; the first frame from the
// side that opened it is not the Hello of the member that was proven; or the other side has not answered for 10
// seconds, or has not acknowledged data for 5.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/identity.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

class GrpcEndpoint final : public Endpoint {
 public:
  // `inbox` must outlive this. `log` gets human-readable lines about connections that failed, on any thread, one call
  // at a time. It must not be empty, and must not throw.
  GrpcEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
               std::function<void(const std::string&)> log);
  // Ends all streams and waits until they have ended.
  ~GrpcEndpoint() override;

  // Accepts streams at `unix:PATH`, `unix-abstract:NAME` or `HOST:PORT`. Returns the address; if its port is 0, the
  // chosen port replaces it.
  std::string listen(const std::string& address) override;
  PeerId connect(const std::string& address, const ExpectedMember& expected) override;
  // Returns null if the stream has ended.
  std::shared_ptr<Stream> find(PeerId peer) override;

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
