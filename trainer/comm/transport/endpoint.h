// The streams of one role, both those that it accepts and those that it opens. Parts of frames that arrive, and the
// ends of streams, are put into the role's inbox (inbox.h). member_endpoint.h has streams between processes,
// local_endpoint.h streams within a process. tests/contract/endpoint_contract.h lists the behaviour that both must
// show.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/protocol/peer_id.h"

namespace carrack::train {

// A stream as its endpoint sees it. Thread-safe.
class Stream {
 public:
  virtual ~Stream() = default;
  // Queues a frame. Drops it if the stream is closing or has ended.
  virtual void send(Frame frame) = 0;
  // Ends the stream once the queued frames are sent.
  virtual void close() = 0;
  // Ends the stream immediately.
  virtual void cancel() = 0;
  // True once the other side has proven which member it is, and any TLS handshake has ended, until the stream ends.
  virtual bool is_open() = 0;
};

// Thread-safe. The destructor ends all streams, without waiting for queued frames, and nothing is put into the inbox
// after it.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  // Accepts streams at this address. Returns the address at which other members reach it. Call it at most once. If it
  // cannot listen there, throws Error, with Blame::platform for an endpoint between processes.
  virtual std::string listen(const std::string& address) = 0;

  // Starts to open a stream to the expected member at this address. Returns its id immediately; frames may be sent from
  // then on. A Closed event follows if the stream cannot be opened, or if another process is at the address.
  virtual PeerId connect(const std::string& address, const Expected& expected) = 0;

  // Queues a frame. If the stream has ended, drops it; a Closed event reports the end of the stream.
  void send(PeerId to, wire::Message message, Tail tail = {});

  // Ends a stream once the queued frames are sent. Its Closed event still follows.
  void close(PeerId peer);
  // Ends a stream immediately, for a peer that may never read again. Its Closed event still follows.
  void cancel(PeerId peer);
  // True if the stream is open: the other side was reached, has proven which member it is, and has ended the TLS
  // handshake if the stream is encrypted. If the machine of the other side fails, this may stay true for seconds, until
  // the other side has failed to answer.
  bool is_open(PeerId peer);

 private:
  // Returns null if the stream has ended.
  virtual std::shared_ptr<Stream> find(PeerId peer) = 0;
};

}  // namespace carrack::train
