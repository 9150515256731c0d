// Streams whose chunks are computed by many threads at once: a sequence read from its first element to its last, and a
// stream to which a function is applied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataloader/pipeline/execution/in_order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

struct SequenceStreamOptions {
  std::uint64_t first_epoch = 0;
  std::uint64_t epochs = 1;  // may be `endless`
  // If set, shuffles the places, not the rows, through a buffer. So the rows are read in the shuffled order, and no row
  // is kept.
  struct Buffer {
    std::uint64_t size;
    Random random;
  };
  std::optional<Buffer> buffer = {};
  // Each is applied to every chunk, one after the other. They may drop rows.
  std::vector<RowsFunction> functions = {};
  // About how many bytes of storage are read as one chunk; batches are read one at a time.
  std::uint64_t chunk_bytes = std::uint64_t{512} << 10;
  AheadLimits ahead = {};
};

// Reads the sequence from its first element to its last. Its state is one number, the next place. With a buffer,
// restore() draws all earlier places again, in time proportional to their number. restore() throws an Error for a place
// beyond the end. The workers must outlive the stream.
StreamPtr sequence_stream(Sequence sequence, SequenceStreamOptions options, Workers& workers);

// Applies the function to each chunk that has rows. The thread that calls next() reads the input; the workers call the
// function. The state is that of the input, so another function may be applied after restoring, such as another share
// of batches. The workers must outlive the stream.
StreamPtr mapped(StreamPtr input, RowsFunction function, Workers& workers, AheadLimits limits);

}  // namespace carrack::data
