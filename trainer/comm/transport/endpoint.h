// The streams of one member: those it serves and those it opened, alike. What arrives goes to its inbox.
// A stream opens with the run's key; one that does not know it is ended before anything of it is read. One whose other
// side has been silent for 10 s, though asked, is ended.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/transport/inbox.h"

namespace carrack::train {

class Endpoint {
 public:
  // `key` opens streams in both directions; `inbox` outlives this.
  Endpoint(Inbox& inbox, std::string key);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  // Ends all streams and waits for them; nothing arrives after.
  ~Endpoint();

  // Serves at `unix:PATH`, `unix-abstract:NAME` or `HOST:PORT`; returns the address, with the port that was free for 0.
  std::string listen(const std::string& address);

  // Opens a stream. It may fail later: that is a Closed.
  PeerId connect(const std::string& address);

  // Queues a frame; on a stream that has ended it is dropped, its Closed tells.
  void send(PeerId to, const wire::Message& message, const Tail& tail = {});

  // Ends a stream after what is queued has left; its Closed still comes.
  void close(PeerId peer);
  // Ends a stream now, for one whose other side may never read again; its Closed comes.
  void cancel(PeerId peer);

 private:
  class Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace carrack::train
