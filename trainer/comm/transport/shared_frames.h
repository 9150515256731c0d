// Writes frames (protocol/frame.h) to the ring of a connection over shared memory, and reads them from it. The bytes of
// the frames follow each other without gaps. SharedStream (shared_stream.h) uses both classes.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_head.h"
#include "trainer/comm/transport/shared_connection.h"

namespace carrack::train {

// The size in bytes of each piece of a tail, except the last piece, which may be smaller. Several pieces fit into a
// ring, so that one side can write a piece while the other uses earlier ones.
inline constexpr std::size_t shared_piece_bytes = SharedMemory::ring_bytes / 4;

// The frames that a stream is to send and that wait for space in the ring. Not thread-safe.
class FrameQueue {
 public:
  // Queues a frame. Nothing is written before write(), which copies the tail to the ring as space permits, and drops it
  // after its last byte.
  void push(const wire::Message& message, Tail tail);
  bool is_empty() const { return frames_.empty(); }
  // Drops all frames, even one that is half written. The stream cannot be used after that.
  void clear() { frames_.clear(); }

  // Writes as much as there is space for, without waiting, and wakes the other side after each piece. If frames are
  // left, the other side wakes this one when there is space; call write() again then. Returns false if the other side
  // breaks the protocol; end the stream then.
  bool write(SharedConnection& to);

 private:
  struct Outgoing {
    std::string head;
    Tail tail;
    std::size_t written = 0;  // number of bytes of head and tail that are in the ring
  };

  // Writes what is left of the first frame's head and of one piece, as far as there is space. Returns false if the
  // other side breaks the protocol.
  bool write_piece(SharedConnection& to);

  std::deque<Outgoing> frames_;
};

// Reads the frames of one stream. Not thread-safe.
class SharedFrameReader {
 public:
  struct Incomplete {};  // the next part has not arrived completely
  struct Malformed {};   // the other side broke the protocol; end the stream
  using Next = std::variant<FramePart, Incomplete, Malformed>;

  // Returns the next part of a frame, or Incomplete if it has not arrived; it does not wait. Do not call it after
  // Malformed. Pass the same connection in each call. The values of a piece are not copied: they occupy space in the
  // ring until the last copy of the piece is destroyed, which any thread may do. A piece keeps `from` alive. Sizes are
  // checked before memory is allocated for them.
  Next next(const std::shared_ptr<SharedConnection>& from, const FrameLimits& limits);

 private:
  bool read_sizes(RingReader& from, const FrameLimits& limits);
  std::size_t read_control(const std::shared_ptr<SharedConnection>& from, std::size_t available);

  std::optional<FrameSizes> sizes_;  // sizes of the frame whose control part is being read
  std::string control_;              // the bytes of the control part that have arrived
  FramePartBuilder parts_{shared_piece_bytes};
};

}  // namespace carrack::train
