// Instant: a point in time, as callers pass it to Coordinator (coordinator.h) and Activity (activity.h). These read no
// clock themselves, so tests can run them with simulated time. The clock is never set back.
#pragma once

#include <chrono>

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

}  // namespace carrack::train
