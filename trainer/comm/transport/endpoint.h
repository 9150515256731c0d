// Endpoint: the interface by which a role of a job (coordinator, parameter server or worker) sends frames to other
// members and receives theirs. It owns the role's streams, both those that it accepts and those that it opens. What
// arrives, and the ends of streams, are put into the role's inbox (inbox.h). MemberEndpoint (member_endpoint.h) has
// streams between processes, LocalHub (local_endpoint.h) streams within a process. tests/contract/endpoint_contract.h
// has the tests that every kind of stream must pass.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/protocol/peer_id.h"

namespace carrack::train {

// A stream, for implementations of Endpoint. Roles use the functions of Endpoint, with the id of a stream. Thread-safe.
class Stream {
 public:
  virtual ~Stream() = default;
  // Queues a frame. Drops it if the stream is closing or has ended.
  virtual void send(Frame frame) = 0;
  // Ends the stream once the queued frames are sent.
  virtual void close() = 0;
  // Ends the stream immediately.
  virtual void cancel() = 0;
  // See Endpoint::is_open().
  virtual bool is_open() = 0;
};

// Thread-safe. No function waits for the other side. The destructor ends all streams, without waiting for queued
// frames, and nothing is put into the inbox after it.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  // Accepts streams at this address from now on. Returns the address at which other members reach it: `address`, with
  // the chosen port if its port is 0. Call it at most once. If it cannot listen there, throws Error, with
  // Blame::platform for an endpoint between processes.
  virtual std::string listen(const std::string& address) = 0;

  // Starts to open a stream to the expected member at this address. Returns its id immediately; frames may be sent from
  // then on. A Closed event follows if the stream cannot be opened, or if another process is at the address.
  virtual PeerId connect(const std::string& address, const ExpectedMember& expected) = 0;

  // Queues a frame. Drops it if the stream has ended or is closing; there is no error, but a Closed event reports the
  // end of each stream. A frame that was queued may still be lost if the stream ends.
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
