// An endpoint whose streams lead to other processes of this machine, over memory that both share. A frame is copied
// once, by its sender; roles add and copy its values from there.
//
// Each stream begins as one over gRPC does: with an opening on a socket of its own (protocol/opening.h). Then the side
// that accepted passes memory to the other one. A stream is ended for the same reasons as over gRPC, and if the other
// side breaks the rules of that memory (docs/formats/wire.md).
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
  // Its streams have numbers from here on, those of a GrpcEndpoint lower ones.
  static constexpr PeerId id_min = PeerId{1} << 63;

  // `inbox` must outlive this. `log` writes a line for people; any thread may call it.
  SharedMemoryEndpoint(Inbox& inbox, Identity identity, const EndpointLimits& limits,
                       std::function<void(const std::string&)> log);
  // Waits for the end of all streams.
  ~SharedMemoryEndpoint() override;

  // An address is `shm:PATH`, for a socket there.
  std::string listen(const std::string& address) override;
  PeerId connect(const std::string& address, const Expected& expected) override;
  std::shared_ptr<Stream> find(PeerId peer) override;

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
