// Elements that can be read by their places, any of them at any time, by any thread. An element is a row, or a batch.
// What can be computed so needs no state to go on from: the place of the next element says it all.
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

namespace carrack::data {

class Sequence {
 public:
  virtual ~Sequence() = default;

  virtual std::uint64_t size() const = 0;
  // The elements' rows in the order of their places, but for those that are lost, which it tells of.
  virtual Rows read(std::span<const Place> places) const = 0;
  // The rows of a batch; 0 where each element is a row.
  virtual std::uint64_t batch() const { return 0; }
  // About how many bytes of storage an element is, as far as is known; else 0.
  virtual std::uint64_t element_bytes() const { return 0; }
};

using SequencePtr = std::shared_ptr<const Sequence>;

// Several sequences are never none, and of rows.
SequencePtr reordered(SequencePtr of, Reorder order);
// All of the first, then all of the second.
SequencePtr concatenated(std::vector<SequencePtr> of);
SequencePtr interleaved(std::vector<SequencePtr> of, std::uint64_t cycle, std::uint64_t block);
SequencePtr mixed(std::vector<SequencePtr> of, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest has.
SequencePtr zipped(std::vector<SequencePtr> of);
SequencePtr mapped(SequencePtr of, RowsFunction function);

struct BatchOptions {
  std::uint64_t size = 1;
  bool drop_remainder = false;  // the last batch, where it is short
};
// A share of every batch, for one of several who read side by side: shares are contiguous, differ by one at most, and
// together are the batch, whatever their number.
struct BatchShare {
  std::uint64_t index = 0;
  std::uint64_t of = 1;
};
SequencePtr batched(SequencePtr of, BatchOptions options, BatchShare share);

}  // namespace carrack::data
