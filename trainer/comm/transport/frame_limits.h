// The maximum sizes of frames (protocol/frame.h) that an endpoint receives from other processes. They protect it from
// peers that send too much: it ends a stream on which a larger frame arrives. loop/roles/frame_limits.h computes them.
#pragma once

#include <cstddef>

namespace carrack::train {

// The maximum sizes in bytes of the control message of a frame, and of its tail (frame.h).
struct FrameLimits {
  std::size_t control_bytes = 0;
  std::size_t tail_bytes = 0;
};

// The limits on a stream that another member opened, until its Hello has arrived. No tail is allowed.
inline constexpr FrameLimits limits_before_hello{.control_bytes = std::size_t{64} << 10, .tail_bytes = 0};

struct EndpointLimits {
  FrameLimits accepted;  // frames on streams that the endpoint accepted, after Hello
  FrameLimits opened;    // frames on streams that the endpoint opened
};

}  // namespace carrack::train
