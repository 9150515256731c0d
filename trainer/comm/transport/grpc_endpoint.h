// An endpoint whose streams lead to other processes, over gRPC, which calls it on threads of its own.
//
// Each stream has a connection of its own, on which both sides first prove that they know the job's key
// (protocol/opening.h); before that neither sends or reads a frame, and gRPC does not see the connection. A stream is
// ended if it sends something that is no frame or a frame larger than its limits, if the first frame of the side that
// opened it is not the Hello of the member that it proved to be, and if its other side has not answered for 10 seconds.
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
  // `inbox` must outlive this. `log` writes a line for people; any thread may call it.
  GrpcEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
               std::function<void(const std::string&)> log);
  // Waits for the end of all streams.
  ~GrpcEndpoint() override;

  // Accepts streams at `unix:PATH`, `unix-abstract:NAME` or `HOST:PORT`. Returns the address, with the port that was
  // chosen if `address` has port 0.
  std::string listen(const std::string& address) override;
  PeerId connect(const std::string& address, const Expected& expected) override;
  std::shared_ptr<Stream> find(PeerId peer) override;

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
