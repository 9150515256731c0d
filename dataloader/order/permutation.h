// An order of the numbers 0 to size-1 that looks drawn from all there are: the number at a place is computed from the
// keys alone, in constant time and no memory. A Feistel network over the next power of two, walked along its cycle
// until it meets a number below `size`, which of more than 32 takes less than two steps on average.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataloader/order/random.h"

namespace carrack::data {

class Permutation {
 public:
  // `stream` tells apart permutations by the same Random, such as those of epochs.
  Permutation(std::uint64_t size, const Random& random, std::uint64_t stream);

  std::uint64_t size() const { return size_; }
  // `place` is less than size().
  std::uint64_t at(std::uint64_t place) const;
  // Where a number less than size() is.
  std::uint64_t place_of(std::uint64_t number) const;

 private:
  static constexpr std::size_t rounds = 8;

  std::uint64_t size_;
  int low_bits_;  // Half of the bits; of an odd number the low half has one more.
  int high_bits_;
  std::array<std::uint64_t, rounds> keys_;
};

}  // namespace carrack::data
