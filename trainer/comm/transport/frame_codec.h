// Converts a frame (protocol/frame.h) to the messages of a gRPC stream, and messages back to parts of frames. A long
// tail takes several messages, and a receiver can use each of them before the next one arrives. docs/formats/wire.md
// specifies the messages.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_head.h"
#include "trainer/comm/transport/frame_limits.h"

namespace carrack::train {

// The number of bytes of a tail in each of its messages except the last, which may have fewer.
inline constexpr std::size_t tail_piece_bytes = std::size_t{1} << 20;

// Returns the messages of a frame, in order. They refer to the values of the tail, which are not copied, and keep the
// tail alive until gRPC has sent the last of them.
std::vector<grpc::ByteBuffer> encode(const wire::Message& message, Tail tail);

// The size in bytes of the largest message of a frame within the limits.
std::size_t message_bytes_max(const FrameLimits& limits);

// Converts the messages of one stream to parts of frames. Not thread-safe.
class FrameReader {
 public:
  // Converts the next message of the stream, which may contain any bytes, and leaves `message` empty. Returns nullopt
  // if it is not the next part of a frame within the limits; end the stream then. Sizes are checked before memory is
  // allocated for them. The values are not copied: the returned part owns the memory of the message and refers to it.
  std::optional<FramePart> add(grpc::ByteBuffer& message, const FrameLimits& limits);

 private:
  class Message;

  bool read_head(Message& message, const FrameLimits& limits);

  FramePartBuilder parts_{tail_piece_bytes};
};

}  // namespace carrack::train
