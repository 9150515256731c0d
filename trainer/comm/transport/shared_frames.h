// Frames in the rings of a shared connection. Their bytes follow each other without gaps.
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

// The bytes of a tail in each of its pieces except the last. Several fit into a ring, so that one side can write a
// piece while the other uses the pieces before.
inline constexpr std::size_t shared_piece_bytes = SharedMemory::ring_bytes / 4;

// The frames that wait for space in the ring. Not thread-safe.
class FrameQueue {
 public:
  // Queues a frame. Its tail is copied to the ring as space permits, and released after the last byte.
  void push(const wire::Message& message, Tail tail);
  bool is_empty() const { return frames_.empty(); }
  void clear() { frames_.clear(); }

  // Writes as much as there is space for, and wakes the other side after each piece. If frames are left, the other side
  // will wake this one when there is space. Returns false if the other side breaks the protocol; end the stream then.
  bool write(SharedConnection& to);

 private:
  struct Outgoing {
    std::string head;
    Tail tail;
    std::size_t written = 0;  // bytes of head and tail
  };

  // Writes what is left of the first frame's head and of one piece, as far as there is space. Returns false as write()
  // does.
  bool write_piece(SharedConnection& to);

  std::deque<Outgoing> frames_;
};

// Reads the frames of one stream. Not thread-safe.
class SharedFrameReader {
 public:
  struct Incomplete {};  // the next part has not arrived as a whole
  struct Malformed {};   // the other side broke the protocol; end the stream
  using Next = std::variant<FramePart, Incomplete, Malformed>;

  // Returns the next part of a frame. Its values are not copied: they take space in the ring until the piece is
  // destroyed. Sizes are checked before memory is allocated for them.
  Next next(const std::shared_ptr<SharedConnection>& from, const FrameLimits& limits);

 private:
  bool read_sizes(RingReader& from, const FrameLimits& limits);
  std::size_t read_control(const std::shared_ptr<SharedConnection>& from, std::size_t available);

  std::optional<FrameSizes> sizes_;  // of the frame whose control part is being read
  std::string control_;              // the bytes of it that have arrived
  FrameParts parts_{shared_piece_bytes};
};

}  // namespace carrack::train
