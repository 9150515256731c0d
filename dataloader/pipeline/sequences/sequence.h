// Sequence: elements (rows, or batches of rows) that any thread can read at any place, at any time and in any order,
// such as the records of indexed files. (A place is the number of an element in an epoch, and the epoch.) So the
// position of a reader is one number, the next place. Elements that can only be read from front to back are a Stream
// (stream.h). The functions below make sequences of other sequences; no data is read before Sequence::read().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/order/interleave.h"
#include "dataloader/order/mix.h"
#include "dataloader/order/place.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/pipeline/sequences/batch_share.h"

namespace carrack::data {

struct SequenceShape {
  std::uint64_t size = 0;           // number of elements; `endless` if they do not end
  std::uint64_t batch = 0;          // rows of a whole batch, even if a share of it is read; 0: elements are rows
  std::uint64_t element_bytes = 0;  // about how many bytes of storage an element takes; 0: unknown
};

// A shape and a function that reads the elements. Cheap to copy: copies share the function. A default Sequence has
// none: do not read it.
class Sequence {
 public:
  // Returns the rows of the elements in the order of `places`, whose numbers must be less than size(); this is not
  // checked. A place may occur twice. If the elements are batches, these are all rows of the first batch, then all rows
  // of the second, and so on. Rows that cannot be used are in Rows::lost instead. Throws an Error if storage fails.
  // Runs on the calling thread. Thread-safe.
  using Read = std::function<Rows(std::span<const Place> places)>;

  Sequence() = default;
  Sequence(SequenceShape shape, Read read) : shape_(shape), read_(std::make_shared<const Read>(std::move(read))) {}

  const SequenceShape& shape() const { return shape_; }
  std::uint64_t size() const { return shape_.size; }
  std::uint64_t batch() const { return shape_.batch; }
  std::uint64_t element_bytes() const { return shape_.element_bytes; }
  Rows read(std::span<const Place> places) const { return (*read_)(places); }

 private:
  SequenceShape shape_;
  std::shared_ptr<const Read> read_;
};

// Returns a sequence that calls `reader->read(places)`, which must be thread-safe. The sequence shares ownership of
// `reader`.
template <typename Reader>
Sequence sequence_of(SequenceShape shape, std::shared_ptr<Reader> reader) {
  return {shape, [reader = std::move(reader)](std::span<const Place> places) { return reader->read(places); }};
}

// Returns the elements of `input` in another order: see order/reorder.h.
Sequence reordered(Sequence input, Reorder order);
// Returns the elements of `input`, changed by a function: each read() calls it with the rows that it has read, if there
// are any, on the thread that reads. The function must have the same result for the same rows each time, and must move
// rows that it drops to Rows::lost.
Sequence mapped(Sequence input, RowsFunction function);

// The functions below need at least one input, and the elements of all inputs must be rows: the caller must check both.
// They throw an Error for options that make no sense.

// Returns all rows of the first input, then all rows of the second, and so on. Throws an Error if an input is endless.
Sequence concatenated(std::vector<Sequence> inputs);
// Returns rows of the inputs in turns, `block` rows in each turn, from at most `cycle` inputs at a time: see
// order/interleave.h.
Sequence interleaved(std::vector<Sequence> inputs, std::uint64_t cycle, std::uint64_t block);
// Returns rows of the inputs by their weights: see order/mix.h. Ends at the first place whose input has no row left.
Sequence mixed(std::vector<Sequence> inputs, const std::vector<double>& weights, const Random& random);
// Returns the rows of the inputs side by side, as many as the shortest input has. A row that one input has lost is
// lost. read() throws an Error if two inputs have a column of the same name.
Sequence zipped(std::vector<Sequence> inputs);

struct BatchOptions {
  std::uint64_t size = 1;       // rows of a batch
  bool drop_remainder = false;  // true: leaves out the last batch if it has fewer rows
};
// Returns batches of consecutive rows of `input`, whose elements must be rows. A read returns only the rows in `share`,
// the same part of every batch. Throws an Error for a batch size of 0, and unless share.index is less than share.count.
Sequence batched(Sequence input, BatchOptions options, BatchShare share);

}  // namespace carrack::data
