// Elements, rows or batches, that any thread can read by their places, at any time and in any order. So the position
// of a reader is one number, the next place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataloader/order/interleave.h"
#include "dataloader/order/mix.h"
#include "dataloader/order/place.h"
#include "dataloader/order/reorder.h"
#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/pipeline/sequences/batch_share.h"

namespace carrack::data {

class Sequence {
 public:
  virtual ~Sequence() = default;

  // The number of elements; `endless` if they do not end.
  virtual std::uint64_t size() const = 0;
  // The elements' rows in the order of `places`; `lost` of the result names the places whose rows cannot be used.
  // Throws an Error if storage fails. Safe from any thread.
  virtual Rows read(std::span<const Place> places) const = 0;
  // The rows of a whole batch, also if a share of each batch is read; 0 if each element is a row.
  virtual std::uint64_t batch() const { return 0; }
  // About how many bytes of storage an element takes; 0 if unknown.
  virtual std::uint64_t element_bytes() const { return 0; }
};

using SequencePtr = std::shared_ptr<const Sequence>;

SequencePtr reordered(SequencePtr input, Reorder order);
// The function must give the same result for the same rows each time.
SequencePtr mapped(SequencePtr input, RowsFunction function);

// The functions below need at least one input, and their elements are rows. All throw an Error for options that make no
// sense.

// All of the first, then all of the second, and so on.
SequencePtr concatenated(std::vector<SequencePtr> inputs);
SequencePtr interleaved(std::vector<SequencePtr> inputs, std::uint64_t cycle, std::uint64_t block);
// Rows of all inputs, by their weights. Ends with the first input that is used up.
SequencePtr mixed(std::vector<SequencePtr> inputs, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest has.
SequencePtr zipped(std::vector<SequencePtr> inputs);

struct BatchOptions {
  std::uint64_t size = 1;
  bool drop_remainder = false;  // leaves out the last batch if it is short
};
SequencePtr batched(SequencePtr input, BatchOptions options, BatchShare share);

}  // namespace carrack::data
