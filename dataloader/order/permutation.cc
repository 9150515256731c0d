#include "dataloader/order/permutation.h"

#include <algorithm>
#include <bit>

namespace carrack::data {
namespace {

std::uint64_t low(std::uint64_t number, int bits) {
  return number & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

Permutation::Permutation(std::uint64_t size, const Random& random, std::uint64_t stream) : size_(size) {
  // With fewer bits some permutations would be far more likely than others. For a small size, at() applies the network
  // repeatedly instead, until the result is below the size.
  constexpr int fewest_bits = 6;
  const int bits = std::max(fewest_bits, static_cast<int>(std::bit_width(std::max<std::uint64_t>(size, 1) - 1)));
  high_bits_ = bits / 2;
  low_bits_ = bits - high_bits_;
  for (std::size_t round = 0; round < rounds; ++round) keys_[round] = random.bits(stream, round);
}

std::uint64_t Permutation::at(std::uint64_t place) const {
  std::uint64_t number = place;
  do {
    std::uint64_t high = number >> low_bits_;
    std::uint64_t rest = low(number, low_bits_);
    for (std::size_t round = 0; round < rounds; round += 2) {
      high ^= low(scrambled(rest + keys_[round]), high_bits_);
      rest ^= low(scrambled(high + keys_[round + 1]), low_bits_);
    }
    number = high << low_bits_ | rest;
  } while (number >= size_);
  return number;
}

std::uint64_t Permutation::place_of(std::uint64_t number) const {
  std::uint64_t place = number;
  do {
    std::uint64_t high = place >> low_bits_;
    std::uint64_t rest = low(place, low_bits_);
    for (std::size_t round = rounds; round > 0; round -= 2) {
      rest ^= low(scrambled(high + keys_[round - 1]), low_bits_);
      high ^= low(scrambled(rest + keys_[round - 2]), high_bits_);
    }
    place = high << low_bits_ | rest;
  } while (place >= size_);
  return place;
}

}  // namespace carrack::data
