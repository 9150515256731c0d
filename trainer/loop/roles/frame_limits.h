// The maximum sizes of the frames that each role accepts from its peers, computed from the sizes of the job. Every
// message that the protocol allows fits.
#pragma once

#include <cstddef>

#include "trainer/comm/transport/frame_limits.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// A coordinator accepts streams of members, whose messages have no tail (frame.h).
EndpointLimits coordinator_limits(const Setup& setup);
// `server` is the index of the parameter server. It accepts streams of workers, which send gradients of its range, and
// opens a stream to the coordinator.
EndpointLimits server_limits(const Setup& setup, std::size_t server);
// A worker opens streams to the coordinator and to the servers, which send it the parameters of their ranges.
EndpointLimits worker_limits(const Setup& setup);

}  // namespace carrack::train
