// The most bytes that each role accepts in a frame, from what the protocol has its peers send.
#pragma once

#include <cstddef>

#include "trainer/comm/transport/frame_limits.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// A coordinator accepts streams of members, whose messages have no tail.
EndpointLimits coordinator_limits(const Setup& setup);
// A parameter server accepts gradients of its range, one subtree of lanes in a frame, and opens a stream to the
// coordinator.
EndpointLimits server_limits(const Setup& setup, std::size_t server);
// A worker opens streams to the coordinator and to the servers, which send it the parameters of their ranges.
EndpointLimits worker_limits(const Setup& setup);

}  // namespace carrack::train
