// The identity of one stream to a peer. A process never uses the same id for two streams.
#pragma once

#include <cstdint>

namespace carrack::train {

using PeerId = std::uint64_t;

}  // namespace carrack::train
