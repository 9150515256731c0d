// Streams that cut their input otherwise, or repeat it: batched, ranged, repeated.
#pragma once

#include <cstdint>

#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Throws an Error for a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// These elements of the input.
StreamPtr ranged(StreamPtr input, ElementRange range);
// Opens its input for each epoch. Ends early where an epoch has no rows.
StreamPtr repeated(OpenStream open, std::uint64_t times);

}  // namespace carrack::data
