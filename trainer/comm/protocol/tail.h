// The floats that follow the control message of a frame.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "trainer/kernels/floats.h"

namespace carrack::train {

using SharedFloats = std::shared_ptr<const Floats>;

// The floats of a frame. The tail either owns them, or refers to a part of a shared vector, which nobody may change
// while tails refer to it. Copying a tail that owns its values copies them. The last user of a shared vector frees it,
// on its own thread, which may be a thread of gRPC.
class Tail {
 public:
  Tail() = default;
  explicit Tail(Floats values) : own_(std::move(values)) {}
  // Refers to `values`, which must lie in `*owner`. `owner` must not be null.
  Tail(SharedFloats owner, std::span<const float> values) : owner_(std::move(owner)), shared_(values) {}

  // The view is valid as long as this tail is not moved from or destroyed.
  std::span<const float> values() const { return owner_ ? shared_ : std::span<const float>(own_); }

  // Returns the values in a vector that the caller may change. Copies them only if they are shared.
  Floats take() && {
    if (owner_) return {shared_.begin(), shared_.end()};
    return std::move(own_);
  }
  // Returns the values for reading. Copies them only if they are a part of a shared vector, not all of it.
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
