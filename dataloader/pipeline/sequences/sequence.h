// Elements, rows or batches, that any thread can read by their places, at any time and in any order. So the position
// of a reader is one number, the next place.
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

// Its shape and a function that reads it. Copies share the function.
class Sequence {
 public:
  // Returns the rows of the elements in the order of `places`, whose numbers must be less than size(). If the elements
  // are batches, these are all rows of the first batch, then all of the second, and so on. Rows that cannot be used are
  // in `lost` of the result instead. Throws an Error if storage fails. Safe from any thread.
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

// The elements of `input` in another order, see order/reorder.h.
Sequence reordered(Sequence input, Reorder order);
// Applies the function to the rows of each read, unless there are none. The function must give the same result for the
// same rows each time, and report the rows that it drops as lost.
Sequence mapped(Sequence input, RowsFunction function);

// The functions below need at least one input, and their elements are rows. All throw an Error for options that make no
// sense.

// All of the first, then all of the second, and so on.
Sequence concatenated(std::vector<Sequence> inputs);
// `block` rows of each input in turns, at most `cycle` inputs at a time; see order/interleave.h.
Sequence interleaved(std::vector<Sequence> inputs, std::uint64_t cycle, std::uint64_t block);
// Rows of all inputs, by their weights. Ends with the first input that is used up.
Sequence mixed(std::vector<Sequence> inputs, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest has.
Sequence zipped(std::vector<Sequence> inputs);

struct BatchOptions {
  std::uint64_t size = 1;
  bool drop_remainder = false;  // leaves out the last batch if it is short
};
// Batches of consecutive rows. A read returns only the rows of `share`, the same part of every batch.
Sequence batched(Sequence input, BatchOptions options, BatchShare share);

}  // namespace carrack::data
