// Streams whose chunks are computed by many threads at once: a sequence read from its first element to its last, and a
// function applied to another stream.
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
  // Shuffles the places, not the rows, through a buffer.
  struct Buffer {
    std::uint64_t size;
    Random random;
  };
  std::optional<Buffer> buffer = {};
  // Applied to the rows of each chunk in turn; they may drop rows.
  std::vector<RowsFunction> functions = {};
  std::uint64_t chunk_bytes = std::uint64_t{512} << 10;
  AheadLimits ahead = {};
};

// Its state is one number, the next place. With a buffer, restoring draws all places before it again, which takes time
// in proportion. The workers must outlive it.
StreamPtr sequence_stream(Sequence sequence, SequenceStreamOptions options, Workers& workers);

// Its state is that of its input, so that another function may be applied after restoring, such as another share of
// batches. The workers must outlive it.
StreamPtr mapped(StreamPtr input, RowsFunction function, Workers& workers, AheadLimits limits);

}  // namespace carrack::data
