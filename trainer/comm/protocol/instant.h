// The time that callers pass to state machines: of a clock that is never set back.
#pragma once

#include <chrono>

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

}  // namespace carrack::train
