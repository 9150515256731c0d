// Streams made of one other stream: cut at damage, batched, ranged, repeated, shuffled. No input may be null.
#pragma once

#include <cstdint>

#include "dataloader/order/random.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Returns a function that opens the same streams. With OnDamage::stop each result is cut at its first lost row
// (Rows::is_cut); with `skip` results are unchanged.
OpenStream cut_at_damage(OpenStream open, OnDamage on_damage);
// Makes batches of the input's rows. The last batch may be smaller, unless drop_remainder is true. Throws an Error for
// a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// Returns only the elements in the range. They are batches if the input has batches, and otherwise rows.
StreamPtr ranged(StreamPtr input, ElementRange range);
// Reads the input `times` times, opened for epoch 0, 1 and so on. 0 gives an empty stream, and `endless`
// (order/place.h) repeats without end. Whatever `times` is, the stream ends after an epoch without rows, because an
// endless repetition of that epoch would never return.
StreamPtr repeated(OpenStream open, std::uint64_t times);
// Shuffles rows through a buffer, as tf.data does. `epoch` selects the random draws. The saved state contains the rows
// in the buffer, so it may be large. Throws an Error for a buffer of 0 rows.
StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch);

}  // namespace carrack::data
