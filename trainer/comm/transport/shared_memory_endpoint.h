// SharedMemoryEndpoint: an Endpoint (endpoint.h) whose streams lead to other processes of this machine, over shared
// memory. The sender copies a frame once, and the receiver uses its values where they are. MemberEndpoint uses it.
//
// Each stream begins like a stream over gRPC: with an opening on a socket of its own (protocol/opening.h). Then the
// side that accepted passes memory to the other side. The endpoint ends a stream for the same reasons as GrpcEndpoint
// does (grpc_endpoint.h), but after 5 seconds without an answer, and if the other side breaks the rules of the memory
// (docs/formats/wire.md).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trainer/comm/transport/endpoint.h"
#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/identity.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

class SharedMemoryEndpoint final : public Endpoint {
 public:
  // The smallest id of this endpoint's streams. Ids of a GrpcEndpoint are lower.
  static constexpr PeerId id_min = PeerId{1} << 63;

  // `inbox` must outlive this. `log` gets human-readable lines about connections that failed, on any thread, one call
  // at a time. It must not be empty, and must not throw.
  SharedMemoryEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
                       std::function<void(const std::string&)> log);
  // Ends all streams and waits until they have ended.
  ~SharedMemoryEndpoint() override;

  // Accepts streams at `shm:PATH`, by a socket at PATH. Returns `address`.
  std::string listen(const std::string& address) override;
  PeerId connect(const std::string& address, const ExpectedMember& expected) override;
  // Returns null if the stream has ended.
  std::shared_ptr<Stream> find(PeerId peer) override;

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
