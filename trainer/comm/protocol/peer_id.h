// Identifies one stream between this process and a peer, no matter which side opened it. A peer that connects again
// gets a new id, and a process never uses an id twice. 0 stands for no stream.
#pragma once

#include <cstdint>

namespace carrack::train {

using PeerId = std::uint64_t;

}  // namespace carrack::train
