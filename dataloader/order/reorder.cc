#include "dataloader/order/reorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/interleave.h"
#include "dataloader/order/permutation.h"

namespace carrack::data {
namespace {

void require_an_end(std::uint64_t size, const char* what) {
  if (size >= endless)
    throw Error(std::string(what) + ": has no end of its input to shuffle up to; shuffle first, then repeat");
}

// The last one that was made is kept, as places in a row have the same one.
class LastPermutation {
 public:
  const Permutation& of(std::uint64_t size, const Random& random, std::uint64_t stream) {
    if (!permutation_ || permutation_->size() != size || stream_ != stream) {
      permutation_.emplace(size, random, stream);
      stream_ = stream;
    }
    return *permutation_;
  }

 private:
  std::optional<Permutation> permutation_;
  std::uint64_t stream_ = 0;
};

// One place in blocks. All whole blocks lie on a ring that begins at a drawn element; what is left of it comes last.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t size, Blocks blocks, const Random& random)
      : size_(size), blocks_(blocks), in_window_(blocks.block * blocks.window), random_(random) {}

  std::uint64_t at(Place place, LastPermutation& of_blocks, LastPermutation& of_window) const {
    const std::uint64_t window = place.number / in_window_;
    const std::uint64_t begin = window * in_window_;
    const std::uint64_t held = std::min(in_window_, size_ - begin);
    const std::uint64_t inner = of_window.of(held, random_, stream(place.epoch, window + 1)).at(place.number - begin);
    const std::uint64_t number = window * blocks_.window + inner / blocks_.block;
    const std::uint64_t whole = size_ / blocks_.block;
    const std::uint64_t block =
        number < whole ? of_blocks.of(whole, random_, stream(place.epoch, 0)).at(number) : number;
    const std::uint64_t on_ring = block * blocks_.block + inner % blocks_.block;
    const std::uint64_t first = random_.bits(place.epoch, ~std::uint64_t{0}) % size_;
    return (first + on_ring) % size_;
  }

 private:
  // Draws for whole epochs and for their windows, none of them the same.
  static std::uint64_t stream(std::uint64_t epoch, std::uint64_t part) { return epoch << 32 | (part + 1); }

  std::uint64_t size_;
  Blocks blocks_;
  std::uint64_t in_window_;
  Random random_;
};

}  // namespace

Reorder shuffled(std::uint64_t size, const Random& random) {
  require_an_end(size, "shuffle");
  return {size, [size, random](std::span<Place> places) {
            LastPermutation last;
            for (Place& place : places) place.number = last.of(size, random, place.epoch).at(place.number);
          }};
}

Reorder block_shuffled(std::uint64_t size, Blocks blocks, const Random& random) {
  require_an_end(size, "block shuffle");
  if (blocks.block == 0 || blocks.window == 0) throw Error("block shuffle: a block and a window hold at least one");
  blocks.block = std::min(blocks.block, std::max<std::uint64_t>(size, 1));
  blocks.window = std::min(blocks.window, size / blocks.block + 1);
  return {size, [order = BlockOrder(size, blocks, random)](std::span<Place> places) {
            LastPermutation of_blocks, of_window;
            for (Place& place : places) place.number = order.at(place, of_blocks, of_window);
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

Reorder sharded(std::uint64_t size, std::uint64_t count, std::uint64_t index) {
  if (index >= count) {
    throw Error("shard: there is no shard " + std::to_string(index) + " of " + std::to_string(count) +
                "; they count from 0");
  }
  const std::uint64_t own = size >= endless ? endless : size / count + (index < size % count ? 1 : 0);
  return {own, [count, index](std::span<Place> places) {
            for (Place& place : places) place.number = place.number * count + index;
          }};
}

Reorder cut(std::uint64_t size, std::uint64_t skip, std::uint64_t take) {
  const std::uint64_t left = size >= endless ? endless : size - std::min(size, skip);
  return {std::min(left, take), [skip](std::span<Place> places) {
            for (Place& place : places) place.number += skip;
          }};
}

Reorder repeated(std::uint64_t size, std::uint64_t times) {
  const bool ends = size == 0 || times == 0 || (size < endless && times < endless && times <= endless / size);
  const std::uint64_t total = ends ? size * times : endless;
  return {total, [size, times](std::span<Place> places) {
            for (Place& place : places) {
              // An order that is itself repeated counts its epochs on; one without end is in its first.
              const std::uint64_t before = times < endless ? place.epoch * times : 0;
              place = {before + place.number / size, place.number % size};
            }
          }};
}

}  // namespace carrack::data
