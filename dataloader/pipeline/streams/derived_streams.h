// Streams (rows that can only be read from front to back, stream.h) made of one other stream: cut at damage, batched,
// ranged, repeated, shuffled. The functions of these names in sequences/sequence.h and order/reorder.h do the same with
// sequences. A result owns its input, which must not be null.
#pragma once

#include <cstdint>

#include "dataloader/order/random.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Wraps a source, so that reading stops at the first row that cannot be used: returns a function that opens the same
// streams, whose results are cut at their first lost row (Rows::is_cut). With OnDamage::skip returns `open` itself.
OpenStream cut_at_damage(OpenStream open, OnDamage on_damage);
// Makes batches of the input's rows. The last batch may be smaller, unless drop_remainder is true. Throws an Error for
// a batch size of 0.
StreamPtr batched(StreamPtr input, BatchOptions options);
// Returns only the elements in the range, and reads and drops those before and between them. The elements are batches
// if the input has batches, and otherwise rows. A batch counts even if the share of this reader in it is empty, or all
// its rows are lost. Stops reading once it has come to range.end.
StreamPtr ranged(StreamPtr input, ElementRange range);
// Reads the input `times` times, opened for epoch 0, 1 and so on. 0 gives an empty stream, and `endless`
// (order/place.h) repeats without end. Whatever `times` is, the stream ends after an epoch without rows, because an
// endless repetition of that epoch would never return. If `is_shared`, several readers share each batch: then any batch
// counts as rows, even if this reader has none of them, so that all readers end together.
StreamPtr repeated(OpenStream open, std::uint64_t times, bool is_shared);
// Shuffles rows through a buffer of `buffer_rows` rows, as tf.data does. The input must have rows, not batches. `epoch`
// selects the random draws. The saved state contains the rows in the buffer, so it may be large. Throws an Error for a
// buffer of 0 rows.
StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch);

}  // namespace carrack::data
