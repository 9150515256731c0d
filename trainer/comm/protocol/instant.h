// The times that callers pass to state machines. They come from a clock that is never set back.
#pragma once

#include <chrono>

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

}  // namespace carrack::train
