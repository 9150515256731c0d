// Reorder: an order of the elements of a sequence: the number of places, and the element at each place. The time for a
// place does not depend on the place. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dataloader/order/block_order.h"
#include "dataloader/order/place.h"
#include "dataloader/order/random.h"

namespace carrack::data {

struct Reorder {
  std::uint64_t size = 0;  // number of places in an epoch; may be `endless`
  // Replaces each place in this order by the place of its element in the sequence that is ordered, which may be in
  // another epoch. Safe for many threads. The numbers of the places must be less than `size`.
  std::function<void(std::span<Place>)> trace;
};

// The functions below return orders of a sequence of `size` elements, which may be 0, or `endless` unless they say
// otherwise.

// A different random order in each epoch. Throws an Error for endless elements.
Reorder shuffled(std::uint64_t size, const Random& random);

// The order of a BlockOrder: neighbouring places have elements of a few runs, so remote files are read in long pieces.
// The runs differ in each epoch. Throws an Error for endless elements, and for a block or window of 0.
Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random);

// The sequence consists of consecutive parts of these sizes, which take turns as in Interleave. No size may be
// `endless`. Throws an Error for a cycle or block of 0, and for too many parts (interleave.h).
Reorder interleaved(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

// Every `step`th element from `begin` on, up to but not including `end`. `step` must not be 0.
struct ElementRange {
  std::uint64_t begin = 0, end = endless, step = 1;
};
// Returns the range of a shard: every `count`th element, beginning with element `index`. Throws an Error unless `index`
// is less than `count`.
ElementRange shard_range(std::uint64_t count, std::uint64_t index);
// The elements of a range, as far as the sequence has them.
Reorder ranged(std::uint64_t size, ElementRange range);

// All elements `times` times, or without end if `times` is `endless`, each time as another epoch of the sequence. The
// order is empty if `size` or `times` is 0.
Reorder repeated(std::uint64_t size, std::uint64_t times);

}  // namespace carrack::data
