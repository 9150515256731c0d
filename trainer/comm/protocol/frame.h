// A frame: one control message, and for gradients and parameters a tail of raw floats that is never copied into it.
// transport/frame_codec.h turns frames into bytes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"

namespace carrack::train {

// Floats that outlive the sending of a frame. gRPC releases them on a thread of its own, hence the shared owner.
struct Tail {
  std::shared_ptr<const std::vector<float>> owner;
  std::span<const float> values;
};

struct Frame {
  wire::Message message;
  std::vector<float> tail;
};

}  // namespace carrack::train
