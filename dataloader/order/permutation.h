// Permutation: a pseudorandom permutation of the numbers from 0 to size - 1. The number at a place is computed in
// constant time and without memory, by a Feistel network over the next power of two, at least 64. The network is
// applied again until the result is below `size`, which for sizes above 32 takes less than two applications on average.
// Immutable; safe for many threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataloader/order/random.h"

namespace carrack::data {

class Permutation {
 public:
  // `stream` selects one of the permutations of a Random: the number of the epoch, for example. Equal arguments make
  // equal permutations.
  Permutation(std::uint64_t size, const Random& random, std::uint64_t stream);

  std::uint64_t size() const { return size_; }
  // Returns the number at a place, which must be less than size().
  std::uint64_t at(std::uint64_t place) const;
  // Returns the place of a number, which must be less than size(): the inverse of at().
  std::uint64_t place_of(std::uint64_t number) const;

 private:
  static constexpr std::size_t rounds = 8;

  std::uint64_t size_;
  int low_bits_;  // half of the bits of the network, rounded up
  int high_bits_;
  std::array<std::uint64_t, rounds> keys_;
};

}  // namespace carrack::data
