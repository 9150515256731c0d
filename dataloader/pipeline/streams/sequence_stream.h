// Streams whose chunks many threads compute ahead of the reader: sequence_stream() reads a sequence from its first
// element to its last, and mapped() applies a function to a stream. Both return chunks in order, unless
// AheadLimits::unordered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataloader/pipeline/execution/in_order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

struct SequenceStreamOptions {
  std::uint64_t first_epoch = 0;  // epoch of the first places
  std::uint64_t epochs = 1;       // number of epochs; 0: the stream is empty; may be `endless`
  // If set, shuffles the elements as tf.data does. The buffer has their places (numbers), not the elements, which are
  // then read in the shuffled order. So no row has to be in memory.
  struct Buffer {
    std::uint64_t size;  // number of places in the buffer; 0 is an Error
    Random random;
  };
  std::optional<Buffer> buffer = {};
  // All are applied to each chunk, one after the other, on the worker thread that has read it. In contrast to the
  // function of mapped() (sequence.h), they may remove rows, as a filter does. Only rows that cannot be used go to
  // Rows::lost.
  std::vector<RowsFunction> functions = {};
  // About the number of bytes of storage that are read as one chunk, of at most 4096 rows. Batches are read one at a
  // time.
  std::uint64_t chunk_bytes = std::uint64_t{512} << 10;
  AheadLimits ahead = {};  // `on_damage` also decides whether functions get rows after a lost one
};

// Reads the sequence from its first element to its last. The state is one number, the next place. With a buffer,
// restore() draws all earlier places again, in time proportional to their number. restore() throws an Error for a place
// beyond the end. If `epochs` is `endless`, the stream ends after a thousand epochs without rows, because it would
// probably never return any. The workers must outlive the stream.
StreamPtr sequence_stream(Sequence sequence, SequenceStreamOptions options, Workers& workers);

// Returns the chunks of `input`, each changed by the function, which must not be empty. It is not called for chunks
// without rows. The thread that calls next() reads the input; the workers call the function. The state is that of the
// input, so another function may be applied after restoring, such as one for another share of batches. The workers must
// outlive the stream.
StreamPtr mapped(StreamPtr input, RowsFunction function, Workers& workers, AheadLimits limits);

}  // namespace carrack::data
