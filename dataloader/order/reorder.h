// Orders over elements: how many places there are, and which element each names. All are pure functions that take the
// same time for any place, whatever was read before it.
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
  // Turns each place into the one that it names among the elements that were ordered.
  std::function<void(std::span<Place>)> trace;
};

// All below order `size` elements, or endless many where nothing else is said.

// Another order in each epoch. Throws an Error for endless ones.
Reorder shuffled(std::uint64_t size, const Random& random);

// As BlockOrder has it: near places name near elements, so that what is far away is read in long pieces. Where the runs
// are cut, each epoch draws anew. Throws an Error for endless ones, and for a block or window of nothing.
Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random);

// As many elements as `sizes` are in all, in as many parts, which take turns as an Interleave says.
Reorder interleaved(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

// Every `count`th from `index` on. Throws an Error unless index is less than count.
Reorder sharded(std::uint64_t size, std::uint64_t count, std::uint64_t index);

// Those behind the first `skip`, `take` at most.
Reorder cut(std::uint64_t size, std::uint64_t skip, std::uint64_t take);

// All of them `times` times, each time as another epoch; endless is a number of times. Nothing repeated is nothing.
Reorder repeated(std::uint64_t size, std::uint64_t times);

}  // namespace carrack::data
