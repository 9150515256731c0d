// The time that state machines are passed, of a clock that is never set.
#pragma once

#include <chrono>

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

}  // namespace carrack::train
