// Rows, or batches, one chunk after the other. A stream can say where it goes on, and go on from there when the same
// pipeline is opened again. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dataloader/pipeline/execution/in_order.h"
#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/pipeline/rows/state.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

class Stream {
 public:
  virtual ~Stream() = default;

  // The next rows, or batch; nothing at the end. Of what is lost there may be word without any row.
  virtual std::optional<Rows> next() = 0;
  // Where it goes on behind what next() gave last, but for rows that come as they are ready.
  virtual void save(StateWriter& state) const = 0;
  // Before the first next().
  virtual void restore(StateReader& state) = 0;
  // The rows of a batch; 0 where rows come as they are, however many at once.
  virtual std::uint64_t batch() const { return 0; }
};

using StreamPtr = std::unique_ptr<Stream>;

// How a sequence is read through.
struct Visit {
  std::uint64_t first_epoch = 0;
  std::uint64_t epochs = 1;  // endless is a number of them
  // A shuffle through a buffer.
  struct Buffer {
    std::uint64_t size;
    Random random;
  };
  std::optional<Buffer> buffer = {};
  // Done to the rows of each chunk, where they may also be left out; each row by itself.
  std::vector<RowsFunction> functions = {};
  std::uint64_t chunk_bytes = std::uint64_t{512} << 10;
  AheadLimits ahead = {};
};
// By many threads; its state is one number.
StreamPtr visit(SequencePtr sequence, Visit how, Workers& workers);

// By many threads.
StreamPtr mapped(StreamPtr of, RowsFunction function, Workers& workers, AheadLimits limits);
StreamPtr batched(StreamPtr of, BatchOptions options);
StreamPtr cut(StreamPtr of, std::uint64_t skip, std::uint64_t take);
StreamPtr sharded(StreamPtr of, std::uint64_t count, std::uint64_t index);
// `make` opens it for each epoch.
using OpenStream = std::function<StreamPtr(std::uint64_t epoch)>;
StreamPtr repeated(OpenStream make, std::uint64_t times);
// Through a buffer of rows, which is part of its state.
StreamPtr shuffled(StreamPtr of, std::uint64_t buffer, const Random& random, std::uint64_t epoch);

StreamPtr concatenated(std::vector<StreamPtr> of);
StreamPtr interleaved(std::vector<OpenStream> of, std::uint64_t cycle, std::uint64_t block);
StreamPtr mixed(std::vector<StreamPtr> of, const std::vector<double>& weights, const Random& random);
StreamPtr zipped(std::vector<StreamPtr> of);

}  // namespace carrack::data
