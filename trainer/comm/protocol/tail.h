// The floats behind the control message of a frame.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "trainer/kernels/floats.h"

namespace carrack::train {

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

}  // namespace carrack::train
