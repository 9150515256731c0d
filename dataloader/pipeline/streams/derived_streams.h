// Streams made of one other: cut, batched, ranged, repeated, shuffled.
#pragma once

#include <cstdint>

#include "dataloader/order/random.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// The streams of a source that reports lost rows, cut at the first of them if reading stops there (Rows::is_cut).
OpenStream cut_at_damage(OpenStream open, OnDamage on_damage);
// Throws an Error for a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// These elements of the input: rows, or batches if the input has those.
StreamPtr ranged(StreamPtr input, ElementRange range);
// Opens its input for each epoch. Ends early where an epoch has no rows.
StreamPtr repeated(OpenStream open, std::uint64_t times);
// Shuffled through a buffer, as in tf.data. The buffer's rows are part of the state. Throws an Error for a buffer of 0
// rows.
StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch);

}  // namespace carrack::data
