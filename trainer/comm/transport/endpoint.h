// The streams of one role, those that it accepts and those that it opens, handled alike. Parts of frames that arrive
// and streams that end go to the role's inbox. member_endpoint.h has the streams between processes, local_endpoint.h
// those within one. A list of behaviours that both must show is in tests/contract/endpoint_contract.h.
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
  // Queues a frame; on a stream that is closing or has ended it is dropped.
  virtual void send(Frame frame) = 0;
  // Ends the stream once the queued frames are sent.
  virtual void close() = 0;
  // Ends the stream now.
  virtual void cancel() = 0;
  // True from when the other side has proven to be the member that it says, and has ended the handshake of TLS if there
  // is one, until the stream ends.
  virtual bool is_open() = 0;
};

// Thread-safe. The destructor ends all streams; nothing is put into the inbox after it.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  // Accepts streams at this address. Returns the address at which others find it. Called once at most. Throws Error if
  // the address is in use.
  virtual std::string listen(const std::string& address) = 0;

  // Opens a stream to the member that is expected at this address, and returns at once. If it cannot be opened, or
  // another process is there, a Closed event follows.
  virtual PeerId connect(const std::string& address, const Expected& expected) = 0;

  // Queues a frame. If the stream has ended, the frame is dropped; the stream's Closed event says so.
  void send(PeerId to, wire::Message message, Tail tail = {});

  // Ends a stream once the queued frames are sent. Its Closed event still follows.
  void close(PeerId peer);
  // Ends a stream now, for a peer that may never read again. Its Closed event still follows.
  void cancel(PeerId peer);
  // True if the other side has been reached, has proven who it is and, where the stream is encrypted, has shown that it
  // can read it, and the stream has not ended since. It may take until a ping is not answered that the end of the other
  // side is noticed.
  bool is_open(PeerId peer);

 private:
  // Null if the stream has ended.
  virtual std::shared_ptr<Stream> find(PeerId peer) = 0;
};

}  // namespace carrack::train
