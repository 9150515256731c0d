// Identifies one stream to a peer. A process never uses an id twice, and never 0.
#pragma once

#include <cstdint>

namespace carrack::train {

using PeerId = std::uint64_t;

}  // namespace carrack::train
