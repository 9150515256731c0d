// One process's side of a connection over shared memory. It consists of the memory, and of a socket with which each
// side wakes the other and learns of the end.
#pragma once

#include <memory>
#include <utility>

#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/shared_memory.h"
#include "trainer/comm/transport/shared_ring.h"

namespace carrack::train {

// Thread-safe, except for writer() and reader() (shared_ring.h). Received pieces that are still in use keep it alive,
// so it may outlive its stream.
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

  // The socket, for poll(2): readable if the other side has woken this one, or if the connection has ended.
  int descriptor() const { return socket_.descriptor(); }
  // Wakes the thread of the other side that polls its descriptor(). Never blocks.
  void wake();
  // Removes wakes that have arrived. Returns false if the connection has ended.
  bool take_wakes();
  // Ends the connection for both sides. The memory stays valid as long as this object.
  void end();

 private:
  const SharedMemory memory_;
  const MemberSocket socket_;
  SharedSide& own_;
  const SharedSide& peer_;
  RingWriter writer_;
  RingReader reader_;
};

// Ends a run of taken bytes (RingReader::end_run). Destroying the last copy of the result, on any thread, releases the
// run, and wakes the other side if it waits for space. The result keeps the connection alive.
std::shared_ptr<const void> end_run(const std::shared_ptr<SharedConnection>& connection);

}  // namespace carrack::train
