// A frame: one control message, and with gradients and parameters a tail of raw floats behind it.
// transport/frame_codec.h converts frames to bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"

namespace carrack::train {

// Hello.protocol of this release.
constexpr std::uint32_t protocol_number = 2;
// The first that knows Norm, NormTotal and Push.squares; what a member before it is told if the job needs them.
constexpr std::uint32_t protocol_of_norms = 2;
constexpr std::string_view no_norms =
    "this job clips gradients by norm (spec.training.clip.norm), which a member of an earlier release cannot; use the "
    "trainer image of the operator's release";

// The tail of a frame to be sent, which is not copied. `owner` keeps the floats alive: gRPC releases it on one of its
// own threads when the frame is sent.
struct Tail {
  std::shared_ptr<const std::vector<float>> owner;
  std::span<const float> values;
};

struct Frame {
  wire::Message message;
  std::vector<float> tail;
};

}  // namespace carrack::train
