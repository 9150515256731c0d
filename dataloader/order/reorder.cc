#include "dataloader/order/reorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/interleave.h"
#include "dataloader/order/permutation.h"

namespace carrack::data {

Reorder shuffled(std::uint64_t size, const Random& random) {
  if (size >= endless) throw Error("shuffle: has no end of its input to shuffle up to; shuffle first, then repeat");
  return {size, [size, random](std::span<Place> places) {
            std::optional<Permutation> permutation;
            std::uint64_t epoch = 0;
            for (Place& place : places) {
              if (!permutation || epoch != place.epoch) permutation.emplace(size, random, epoch = place.epoch);
              place.number = permutation->at(place.number);
            }
          }};
}

Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random) {
  return {size, [order = BlockOrder(size, blocks, random)](std::span<Place> places) {
            std::optional<BlockOrder::Epoch> epoch;
            for (Place& place : places) {
              if (!epoch || epoch->epoch() != place.epoch) epoch.emplace(order, place.epoch);
              place.number = epoch->input_number_of(epoch->read_index_at(place.number));
            }
          }};
}

Reorder interleaved(std::vector<std::uint64_t> sizes, std::uint64_t cycle, std::uint64_t block) {
  std::vector<std::uint64_t> begins;
  std::uint64_t size = 0;
  for (const std::uint64_t one : sizes) {
    begins.push_back(size);
    size += one;
  }
  return {size,
          [begins = std::move(begins), order = Interleave(std::move(sizes), cycle, block)](std::span<Place> places) {
            for (Place& place : places) {
              const Interleave::Element element = order.at(place.number);
              place.number = begins[element.sequence] + element.number;
            }
          }};
}

ElementRange shard_range(std::uint64_t count, std::uint64_t index) {
  if (index < count) return {.begin = index, .step = count};
  throw Error("shard: there is no shard " + std::to_string(index) + " of " + std::to_string(count) +
              "; they count from 0");
}

Reorder ranged(std::uint64_t size, ElementRange range) {
  const auto [begin, end, step] = range;
  const std::uint64_t last = std::min(size, end);
  const std::uint64_t elements = last - std::min(last, begin);
  return {last >= endless ? endless : elements / step + (elements % step > 0 ? 1 : 0),
          [begin = begin, step = step](std::span<Place> places) {
            for (Place& place : places) place.number = place.number * step + begin;
          }};
}

Reorder repeated(std::uint64_t size, std::uint64_t times) {
  const bool ends = size == 0 || times == 0 || (size < endless && times < endless && times <= endless / size);
  const std::uint64_t total = ends ? size * times : endless;
  return {total, [size, times](std::span<Place> places) {
            for (Place& place : places) {
              // Each epoch of this order consists of `times` epochs of the sequence. An endless order has only one
              // epoch.
              const std::uint64_t before = times < endless ? place.epoch * times : 0;
              place = {before + place.number / size, place.number % size};
            }
          }};
}

}  // namespace carrack::data
