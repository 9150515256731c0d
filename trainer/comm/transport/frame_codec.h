// A frame as bytes, and back; docs/formats/wire.md specifies the format.
#pragma once

#include <optional>

#include <grpcpp/support/byte_buffer.h>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/transport/frame_limits.h"

namespace carrack::train {

// The tail is not copied: the buffer refers to its values, which live until gRPC has sent the buffer.
grpc::ByteBuffer encode(const wire::Message& message, Tail tail);

// Takes a frame out of `bytes`, which is empty afterwards: its memory is freed as it is copied. Accepts any bytes:
// returns nullopt if they are not a frame, or one that is larger than `limits`. The sizes are checked before memory is
// allocated for them.
std::optional<Frame> decode(grpc::ByteBuffer& bytes, const FrameLimits& limits);

}  // namespace carrack::train
