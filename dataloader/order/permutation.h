// Permutation: a random order of the numbers from 0 to size - 1, for shuffles of records and of files. It takes no
// memory: at(place) computes the number at a place in constant time, and place_of() is the inverse. Immutable; safe for
// many threads.
//
// It is a Feistel network over the next power of two, at least 64, and is applied again until the result is below
// `size`. For sizes above 32 that takes less than two applications on average.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataloader/order/random.h"

namespace carrack::data {

class Permutation {
 public:
  // `random` and `stream` select the permutation; `stream` is any number, such as that of the epoch. Equal arguments
  // make equal permutations, on every machine. `size` may be 0.
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
