// A frame as messages of a gRPC stream, and back; docs/formats/wire.md specifies them. A long tail takes several
// messages, each of which a receiver can use before the next one is there.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_head.h"
#include "trainer/comm/transport/frame_limits.h"

namespace carrack::train {

// The bytes of a tail in each of its messages but the last.
inline constexpr std::size_t tail_piece_bytes = std::size_t{1} << 20;

// The messages of a frame, in their order. The tail is not copied: they refer to its values, which live until gRPC has
// sent the last of them.
std::vector<grpc::ByteBuffer> encode(const wire::Message& message, Tail tail);

// The bytes of the largest message of a frame that is within the limits.
std::size_t message_bytes_max(const FrameLimits& limits);

// Reads the messages of one stream as parts of frames. Not thread-safe.
class FrameReader {
 public:
  // Takes the next message of the stream, which may be any bytes; it is empty afterwards. Returns nullopt if it belongs
  // to no frame within the limits: the stream is then to be ended. The sizes are checked before memory is allocated for
  // what they say. The values are not copied: the part refers to the memory of the message.
  std::optional<FramePart> add(grpc::ByteBuffer& message, const FrameLimits& limits);

 private:
  class Message;

  bool read_head(Message& message, const FrameLimits& limits);

  FrameParts parts_{tail_piece_bytes};
};

}  // namespace carrack::train
