// Computes the maximum sizes of the frames that each role accepts from its peers, so that a faulty peer cannot make it
// allocate any amount of memory. A frame is a control message and an optional tail of floats (frame.h). The limits
// follow from the job's model, so every frame of the protocol fits. With strategy Single nothing checks them.
#pragma once

#include <cstddef>

#include "trainer/comm/transport/frame_limits.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// A coordinator accepts streams of servers and workers, whose messages to it have no tail. It opens none.
EndpointLimits coordinator_limits(const Setup& setup);
// `server` is the index of the parameter server. It accepts streams of workers, which send gradients of its range of
// the parameters as tails. It opens a stream to the coordinator.
EndpointLimits server_limits(const Setup& setup, std::size_t server);
// A worker opens streams to the coordinator and to the servers, which send the parameters of their ranges as tails. It
// accepts no streams.
EndpointLimits worker_limits(const Setup& setup);

}  // namespace carrack::train
