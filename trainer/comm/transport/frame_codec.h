// A frame as messages of a gRPC stream, and back; docs/formats/wire.md specifies them. A long tail takes several
// messages, so a receiver has no more of it in memory twice than one of them.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_limits.h"

namespace carrack::train {

// The bytes of a tail in each of its messages but the last.
inline constexpr std::size_t tail_piece_bytes = std::size_t{1} << 20;

// The messages of a frame, in their order. The tail is not copied: they refer to its values, which live until gRPC has
// sent the last of them.
std::vector<grpc::ByteBuffer> encode(const wire::Message& message, Tail tail);

// The bytes of the largest message of a frame that is within the limits.
std::size_t message_bytes_max(const FrameLimits& limits);

// Puts the frames of one stream together. Not thread-safe.
class FrameReader {
 public:
  enum class State {
    incomplete,  // the frame goes on with the next message
    complete,    // take() the frame before the next message
    invalid,     // the message belongs to no frame within the limits; the stream is to be ended
  };
  // Takes the next message of the stream, which may be any bytes. `message` is empty afterwards: its memory is freed as
  // it is copied. The sizes are checked before memory is allocated for them.
  State add(grpc::ByteBuffer& message, const FrameLimits& limits);
  Frame take();

 private:
  class Slices;

  bool read_head(Slices& slices, const FrameLimits& limits);
  bool read_piece(Slices& slices);

  std::optional<wire::Message> message_;  // of the frame that is not complete; nullopt between two frames
  Floats tail_;                           // as far as it has come
  std::size_t floats_ = 0;                // of the whole tail
};

}  // namespace carrack::train
