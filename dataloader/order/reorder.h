// Orders of the elements of a sequence: how many places there are, and which element is at each. Pure functions that
// take the same time for any place.
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
  std::uint64_t size = 0;
  // Replaces each place by the place of its element in the sequence that is ordered. Safe from any thread.
  std::function<void(std::span<Place>)> trace;
};

// The functions below order `size` elements, which may be `endless` unless they say otherwise.

// A different random order in each epoch. Throws an Error for endless elements.
Reorder shuffled(std::uint64_t size, const Random& random);

// The order of a BlockOrder: near places have near elements, so remote files are read in long pieces. The cuts between
// runs differ in each epoch. Throws an Error for endless elements, and for a block or window of 0.
Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random);

// The elements are consecutive parts of these sizes, which take turns as in Interleave.
Reorder interleaved(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

// Every `step`th element from `begin` on, up to `end`.
struct ElementRange {
  std::uint64_t begin = 0, end = endless, step = 1;
};
// Every `count`th element from `index` on. Throws an Error unless index is less than count.
ElementRange shard_range(std::uint64_t count, std::uint64_t index);
Reorder ranged(std::uint64_t size, ElementRange range);

// All elements `times` times, or without end if `times` is `endless`, each time as another epoch. An empty sequence
// stays empty.
Reorder repeated(std::uint64_t size, std::uint64_t times);

}  // namespace carrack::data
