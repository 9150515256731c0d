// The largest frames that an endpoint accepts, by their sender. It ends a stream on which a larger one comes.
#pragma once

#include <cstddef>

namespace carrack::train {

// In bytes, for the control message of a frame and for its tail (frame.h).
struct FrameLimits {
  std::size_t control_bytes = 0;
  std::size_t tail_bytes = 0;
};

// For a peer that opened a stream to this endpoint, until it has said Hello: no tail at all.
inline constexpr FrameLimits limits_before_hello{.control_bytes = std::size_t{64} << 10, .tail_bytes = 0};

struct EndpointLimits {
  FrameLimits accepted;  // frames of the peers that opened a stream to this endpoint, once they have said Hello
  FrameLimits opened;    // frames of the peers that this endpoint opened a stream to
};

}  // namespace carrack::train
