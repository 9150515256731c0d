// Instant: a point in time, as the callers of the protocol's state machines, such as Coordinator, pass it to them. The
// state machines read no clock themselves, so tests can run them with simulated time. The clock is never set back.
#pragma once

#include <chrono>

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

}  // namespace carrack::train
