// The most bytes that a frame may have, by who sends it. An endpoint ends a stream that sends a larger one.
#pragma once

#include <cstddef>

namespace carrack::train {

struct FrameLimits {
  std::size_t control_bytes = 0;
  std::size_t tail_bytes = 0;
};

// Until a peer has said Hello it may send this much, and no tail.
inline constexpr FrameLimits limits_before_hello{.control_bytes = std::size_t{64} << 10, .tail_bytes = 0};

struct EndpointLimits {
  FrameLimits accepted;  // frames of the peers that opened a stream to this endpoint, once they have said Hello
  FrameLimits opened;    // frames of the peers that this endpoint opened a stream to
};

}  // namespace carrack::train
