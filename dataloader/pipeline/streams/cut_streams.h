// Streams that cut their input otherwise, or repeat it: batched, cut, sharded, repeated.
#pragma once

#include <cstdint>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Throws an Error for a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// Leaves out the first `skip` elements and ends after `take` more.
StreamPtr cut(StreamPtr input, std::uint64_t skip, std::uint64_t take);
// Every `count`th element, starting with the `index`th. Throws an Error unless index < count.
StreamPtr sharded(StreamPtr input, std::uint64_t count, std::uint64_t index);
// Opens its input for each epoch. Ends early where an epoch has no rows.
StreamPtr repeated(OpenStream open, std::uint64_t times);

}  // namespace carrack::data
