// A frame: one control message, and with gradients and parameters a tail of raw floats behind it.
// transport/frame_codec.h converts frames to bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/kernels/floats.h"

namespace carrack::train {

// Hello.protocol of this release.
constexpr std::uint32_t protocol_number = 2;
// The first that knows Norm, NormTotal and Push.squares.
constexpr std::uint32_t protocol_of_norms = 2;
// The reason by which a job that needs these refuses a member with an earlier protocol.
constexpr std::string_view no_norms =
    "this job clips gradients by norm (spec.training.clip.norm), which a member of an earlier release cannot; use the "
    "trainer image of the operator's release";

using SharedFloats = std::shared_ptr<const Floats>;

// The floats of a frame. They are its own, or they are part of a vector that others read, too, and that nobody changes.
// A shared vector is released on whichever thread is done with it last, which may be one of gRPC.
class Tail {
 public:
  Tail() = default;
  explicit Tail(Floats values) : own_(std::move(values)) {}
  Tail(SharedFloats owner, std::span<const float> values) : owner_(std::move(owner)), shared_(values) {}

  std::span<const float> values() const { return owner_ ? shared_ : std::span<const float>(own_); }

  // The values, to be changed. Copies them only if they are shared.
  Floats take() && {
    if (owner_) return {shared_.begin(), shared_.end()};
    return std::move(own_);
  }
  // The values, to be read. Copies them only if they are a part of a shared vector.
  SharedFloats share() && {
    if (owner_ && shared_.size() == owner_->size()) return std::move(owner_);
    return std::make_shared<const Floats>(std::move(*this).take());
  }

 private:
  Floats own_;
  SharedFloats owner_;  // null: the values are own_
  std::span<const float> shared_;
};

struct Frame {
  wire::Message message;
  Tail tail;
};

}  // namespace carrack::train
