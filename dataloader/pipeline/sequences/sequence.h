// A sequence: elements, which are rows or batches, that any thread can read by their places, at any time and in any
// order. So the position of a reader is one number, the next place.
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
  std::uint64_t size = 0;           // the number of elements; `endless` if they do not end
  std::uint64_t batch = 0;          // the rows of a whole batch, also if a share of it is read; 0: elements are rows
  std::uint64_t element_bytes = 0;  // about how many bytes of storage an element takes; 0 if unknown
};

// A shape and a function that reads the elements. Copies share the function.
class Sequence {
 public:
  // Returns the rows of the elements in the order of `places`, whose numbers must be less than size(). If the elements
  // are batches, these are all rows of the first batch, then all of the second, and so on. Rows that cannot be used are
  // in `lost` instead. Throws an Error if storage fails. Safe from any thread.
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

// A sequence that is read by `reader->read(places)`.
template <typename Reader>
Sequence sequence_of(SequenceShape shape, std::shared_ptr<Reader> reader) {
  return {shape, [reader = std::move(reader)](std::span<const Place> places) { return reader->read(places); }};
}

// The elements of `input` in another order: see order/reorder.h.
Sequence reordered(Sequence input, Reorder order);
// Applies the function to the rows of each read, unless there are none. It must give the same result for the same rows
// each time, and move the rows that it drops to `lost`.
Sequence mapped(Sequence input, RowsFunction function);

// The functions below need at least one input, and the elements of all inputs must be rows. They throw an Error for
// options that make no sense.

// All rows of the first input, then all of the second, and so on. Throws an Error if an input is endless.
Sequence concatenated(std::vector<Sequence> inputs);
// Rows of the inputs in turns, `block` rows in each turn and at most `cycle` inputs at a time: see order/interleave.h.
Sequence interleaved(std::vector<Sequence> inputs, std::uint64_t cycle, std::uint64_t block);
// Rows of the inputs by their weights: see order/mix.h. Ends where an input has no row for its turn.
Sequence mixed(std::vector<Sequence> inputs, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest input has. A row that one input has lost is lost. read() throws an Error
// if two inputs have a column of the same name.
Sequence zipped(std::vector<Sequence> inputs);

struct BatchOptions {
  std::uint64_t size = 1;
  bool drop_remainder = false;  // true: leaves out the last batch if it is short
};
// Batches of consecutive rows. A read returns only the rows in `share`, the same part of every batch. Throws an Error
// for a batch size of 0, and for a share that does not exist.
Sequence batched(Sequence input, BatchOptions options, BatchShare share);

}  // namespace carrack::data
