// An endpoint whose streams lead to other processes, over gRPC, which calls it on threads of its own.
//
// Both sides of a stream know the run's key; a stream that comes with another key is ended before any of its frames is
// read. A stream is also ended if it sends something that is no frame or a frame larger than its limits, if the first
// frame of the side that opened it is not a Hello, and if its other side has not answered for 10 seconds.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

class GrpcEndpoint final : public Endpoint {
 public:
  // `key` is sent on streams that are opened, and required of those that are accepted. `inbox` must outlive this.
  GrpcEndpoint(Inbox& inbox, std::string key, const EndpointLimits& limits);
  // Waits for the end of all streams.
  ~GrpcEndpoint() override;

  // Accepts streams at `unix:PATH`, `unix-abstract:NAME` or `HOST:PORT`. Returns the address, with the port that was
  // chosen if `address` has port 0.
  std::string listen(const std::string& address) override;
  PeerId connect(const std::string& address) override;

 private:
  std::shared_ptr<Stream> find(PeerId peer) override;

  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
