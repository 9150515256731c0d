// Frames in the rings of a shared connection: their bytes follow each other without anything between them.
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

// The bytes of a tail in each of its pieces but the last. Several fit into a ring, so that a side can write one while
// the other uses those before.
inline constexpr std::size_t shared_piece_bytes = SharedMemory::ring_bytes / 4;

// The frames that wait for space. Not thread-safe.
class FrameQueue {
 public:
  // The tail is copied when it is written, and released when the last of it is.
  void push(const wire::Message& message, Tail tail);
  bool is_empty() const { return frames_.empty(); }
  void clear() { frames_.clear(); }

  // Writes as much as there is space for, and wakes the other side for each piece. If not all is written, the other
  // side wakes this one when there is space. Returns false if the other side breaks the rules: the stream is then to be
  // ended.
  bool write(SharedConnection& to);

 private:
  struct Outgoing {
    std::string head;
    Tail tail;
    std::size_t written = 0;  // bytes of both
  };

  // Writes of the first frame what is left of its head and of one piece. Returns false as write() does.
  bool write_piece(SharedConnection& to);

  std::deque<Outgoing> frames_;
};

// Reads the frames of one stream. Not thread-safe.
class SharedFrameReader {
 public:
  struct Incomplete {};  // not all of it is there
  struct Malformed {};   // the stream is to be ended
  using Next = std::variant<FramePart, Incomplete, Malformed>;

  // The next part of a frame. Its values are not copied: they stay in the ring, and take space there until the piece is
  // destroyed. Sizes are checked before memory is allocated for what they say.
  Next next(const std::shared_ptr<SharedConnection>& from, const FrameLimits& limits);

 private:
  bool read_sizes(RingReader& from, const FrameLimits& limits);
  std::size_t read_control(const std::shared_ptr<SharedConnection>& from, std::size_t available);

  std::optional<FrameSizes> sizes_;  // of a frame whose control part is not complete
  std::string control_;              // what there is of it
  FrameParts parts_{shared_piece_bytes};
};

}  // namespace carrack::train
