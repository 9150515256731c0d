// Reorder: an order of the elements of a sequence (rows that can be read at any place, sequence.h), as a function from
// places in the new order to places in the sequence. reordered() in sequence.h reads a sequence in such an order.
//
//   const Reorder order = ranged(10, {.begin = 2, .step = 3});  // order.size is 3
//   std::vector<Place> places = {{0, 0}, {0, 1}, {0, 2}};
//   order.to_input_places(places);                              // now {0, 2}, {0, 5}, {0, 8}
//
// The time for a place does not depend on the place.
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
  // Replaces each place in this order by the place of its element in the sequence, which may be in another epoch. A
  // pure function, safe for many threads. Place::number must be less than `size`; this is not checked.
  std::function<void(std::span<Place>)> to_input_places;
};

// The functions below return orders of a sequence of `size` elements. `size` may be 0. It may be `endless` unless the
// comment says otherwise.

// A full shuffle: all elements in a random order (Permutation), another one in each epoch. Throws an Error if `size` is
// `endless`.
Reorder shuffled(std::uint64_t size, const Random& random);

// A block shuffle (BlockOrder): neighbouring places have elements of a few runs of neighbours, so remote files are read
// in long pieces. Each epoch has other runs. Throws an Error if `size` is `endless`, and for a block or window of 0.
Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random);

// Parts of the sequence in turns, as in Interleave (interleave.h). The sequence consists of consecutive parts, such as
// files, of these sizes; no size may be `endless`. Throws an Error for a cycle or block of 0, and for too many parts.
Reorder interleaved(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block);

// Every `step`th element from `begin` on, up to but not including `end`: {.begin = 2, .step = 3} is 2, 5, 8, ... `step`
// must not be 0.
struct ElementRange {
  std::uint64_t begin = 0, end = endless, step = 1;
};
// Returns the range of a shard: every `count`th element, beginning with element `index`. Throws an Error unless `index`
// is less than `count`.
ElementRange shard_range(std::uint64_t count, std::uint64_t index);
// The elements of a range; empty if the sequence ends before it. Each epoch has the same range.
Reorder ranged(std::uint64_t size, ElementRange range);

// All elements `times` times, or without end if `times` is `endless`. Each time they are those of another epoch of the
// sequence, so a shuffle in it draws another order. The order is empty if `size` or `times` is 0.
Reorder repeated(std::uint64_t size, std::uint64_t times);

}  // namespace carrack::data
