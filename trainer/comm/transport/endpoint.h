// All streams of one process, those that it accepts and those that it opens, handled alike. Frames that arrive and
// streams that end go to the process's inbox, on gRPC's threads.
//
// Both sides of a stream know the run's key; a stream that comes with another key is ended before any of its frames is
// read. A stream is also ended if it sends something that is no frame or a frame larger than its limits, if the first
// frame of the side that opened it is not a Hello, and if its other side has not answered for 10 seconds.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/transport/frame_limits.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

// Thread-safe.
class Endpoint {
 public:
  // `key` is sent on streams that are opened, and required of those that are accepted. `inbox` must outlive this.
  Endpoint(Inbox& inbox, std::string key, const EndpointLimits& limits);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  // Ends all streams and waits for them; nothing is put into the inbox afterwards.
  ~Endpoint();

  // Accepts streams at `unix:PATH`, `unix-abstract:NAME` or `HOST:PORT`. Returns the address, with the port that was
  // chosen if `address` has port 0. Called once at most. Throws Error if the address is in use.
  std::string listen(const std::string& address);

  // Opens a stream and returns at once. If it cannot be opened, a Closed event follows.
  PeerId connect(const std::string& address);

  // Queues a frame. If the stream has ended, the frame is dropped; the stream's Closed event says so.
  void send(PeerId to, const wire::Message& message, const Tail& tail = {});

  // Ends a stream once the queued frames are sent. Its Closed event still follows.
  void close(PeerId peer);
  // Ends a stream now, for a peer that may never read again. Its Closed event still follows.
  void cancel(PeerId peer);

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
