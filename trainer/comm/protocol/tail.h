// Tail: the floats that follow the control message of a frame (frame.h): a gradient, or parameters.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "trainer/kernels/floats.h"

namespace carrack::train {

using SharedFloats = std::shared_ptr<const Floats>;

// The tail either owns its values, or refers to all or a part of a shared vector. Nobody may change that vector while
// tails refer to it. The last tail or other user of the vector frees it, on any thread, such as one of gRPC. A copy of
// a tail copies values that the tail owns, and shares values that it refers to.
class Tail {
 public:
  Tail() = default;  // no values
  explicit Tail(Floats values) : own_(std::move(values)) {}
  // Refers to `values`, which must lie in `*owner`, without copying them. `owner` must not be null.
  Tail(SharedFloats owner, std::span<const float> values) : owner_(std::move(owner)), shared_(values) {}

  // Returns a view of the values. It is valid as long as this tail is not moved from or destroyed.
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
