// PeerId: the number of a stream between this member and another one, as a file descriptor is the number of a file. It
// identifies the stream, not the member: a member that connects again gets a new id. The endpoint
// (transport/endpoint.h) assigns ids, and never uses one twice. The other side of the stream has an id of its own. 0
// means no stream.
#pragma once

#include <cstdint>

namespace carrack::train {

using PeerId = std::uint64_t;

}  // namespace carrack::train
