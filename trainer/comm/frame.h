// A frame: one control message, and for gradients and parameters a tail of raw floats that is never copied into it.
// docs/formats/wire.md has the bytes. Any bytes at all decode to a frame or to nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <grpcpp/support/byte_buffer.h>

#include "trainer/comm/message.pb.h"

namespace carrack::train {

// Floats that outlive the sending of a frame. gRPC lets go of them on a thread of its own, hence the shared owner.
struct Tail {
  std::shared_ptr<const std::vector<float>> owner;
  std::span<const float> values;
};

struct Frame {
  wire::Message message;
  std::vector<float> tail;
};

grpc::ByteBuffer encode(const wire::Message& message, const Tail& tail);
std::optional<Frame> decode(grpc::ByteBuffer& bytes);

}  // namespace carrack::train
