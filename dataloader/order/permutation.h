// Permutation: a pseudorandom permutation of 0 to size-1. The number at a place is computed in constant time and
// without memory, by a Feistel network over the next power of two, at least 64. The network is applied again until the
// result is below `size`, which for sizes above 32 takes less than two steps on average. Immutable; safe from any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataloader/order/random.h"

namespace carrack::data {

class Permutation {
 public:
  // `stream` distinguishes permutations of the same Random, such as those of epochs.
  Permutation(std::uint64_t size, const Random& random, std::uint64_t stream);

  std::uint64_t size() const { return size_; }
  // `place` is less than size().
  std::uint64_t at(std::uint64_t place) const;
  // The inverse of at(), for a number less than size().
  std::uint64_t place_of(std::uint64_t number) const;

 private:
  static constexpr std::size_t rounds = 8;

  std::uint64_t size_;
  int low_bits_;  // half of the bits, rounded up
  int high_bits_;
  std::array<std::uint64_t, rounds> keys_;
};

}  // namespace carrack::data
