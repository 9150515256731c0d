// Streams made of one other stream: cut at damage, batched, ranged, repeated, shuffled.
#pragma once

#include <cstdint>

#include "dataloader/order/random.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Returns a function that opens the same streams: with OnDamage::stop each is cut at its first lost row (Rows::is_cut),
// with `skip` it is unchanged.
OpenStream cut_at_damage(OpenStream open, OnDamage on_damage);
// Makes batches of the input's rows. Throws an Error for a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// Passes on only the elements in the range. They are rows, or batches if the input has batches.
StreamPtr ranged(StreamPtr input, ElementRange range);
// Reads the input `times` times, opened for epoch 0, 1 and so on. Ends early at an epoch without rows, since an endless
// repetition of it would never return.
StreamPtr repeated(OpenStream open, std::uint64_t times);
// Shuffles rows through a buffer, as in tf.data. `epoch` selects the random draws. The rows in the buffer are part of
// the state. Throws an Error for a buffer of 0 rows.
StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch);

}  // namespace carrack::data
