// A connection over shared memory, as one of its two processes has it: the memory, and the socket by which either wakes
// the other and sees that it has ended.
#pragma once

#include <memory>
#include <utility>

#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/shared_memory.h"
#include "trainer/comm/transport/shared_ring.h"

namespace carrack::train {

// Thread-safe, but for writer and reader (shared_ring.h). What was received and is in use refers to it, so it may live
// longer than its stream.
class SharedConnection {
 public:
  SharedConnection(SharedMemory memory, MemberSocket socket, StreamSide self)
      : memory_(std::move(memory)),
        socket_(std::move(socket)),
        own_(memory_.side(self)),
        peer_(memory_.side(other(self))),
        writer_(memory_.ring(self), own_, peer_),
        reader_(memory_.ring(other(self)), own_, peer_) {}

  SharedSide& own() { return own_; }
  const SharedSide& peer() const { return peer_; }
  RingWriter& writer() { return writer_; }
  RingReader& reader() { return reader_; }

  // Readable when the other side has woken this one or has ended the connection.
  int descriptor() const { return socket_.descriptor(); }
  // Wakes the thread of the other side that waits for its descriptor.
  void wake();
  // Forgets that this side was woken. Returns false if the connection has ended.
  bool take_wakes();
  // Ends the connection for both sides.
  void end();

 private:
  const SharedMemory memory_;
  const MemberSocket socket_;
  SharedSide& own_;
  const SharedSide& peer_;
  RingWriter writer_;
  RingReader reader_;
};

// Releases a run of bytes of its ring, and wakes the other side if that waits for them, when the last copy of what this
// returns is destroyed, on any thread.
std::shared_ptr<const void> end_run(const std::shared_ptr<SharedConnection>& connection);

}  // namespace carrack::train
