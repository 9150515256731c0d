// Frames as bytes; docs/formats/wire.md is the format. `decode` accepts any bytes and returns nothing for those that
// are no frame.
#pragma once

#include <optional>

#include <grpcpp/support/byte_buffer.h>

#include "trainer/comm/protocol/frame.h"

namespace carrack::train {

grpc::ByteBuffer encode(const wire::Message& message, const Tail& tail);
std::optional<Frame> decode(grpc::ByteBuffer& bytes);

}  // namespace carrack::train
