// SharedConnection: this process's side of a connection to another process of the same machine. Frames go through
// shared memory, which has a ring for each direction (shared_ring.h). A Unix socket is used to wake the other side when
// there is something to read or space to write, and to find out that the connection has ended.
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

  // The counters in the shared memory that this side writes, and those that the other side writes.
  SharedSide& own() { return own_; }
  const SharedSide& peer() const { return peer_; }
  // The ends of both rings that this side uses.
  RingWriter& writer() { return writer_; }
  RingReader& reader() { return reader_; }

  // The socket, for poll(2): readable if the other side has woken this one, or if the connection has ended.
  int descriptor() const { return socket_.descriptor(); }
  // Wakes the thread of the other side that polls its descriptor(). Never blocks.
  void wake();
  // Removes wakes that have arrived, without waiting for one. Returns false if the connection has ended.
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

// Combines the bytes that reader().take() has returned since the last call into a run (RingReader::end_run()). When the
// last copy of the result is destroyed, on any thread, the run is released: once earlier runs are released too, the
// other side can overwrite these bytes, and is woken if it waits for space. The result also keeps the connection alive.
std::shared_ptr<const void> end_run(const std::shared_ptr<SharedConnection>& connection);

}  // namespace carrack::train
