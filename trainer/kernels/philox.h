// Philox4x32-10, a counter-based random number generator (Salmon et al. 2011), for several counters at the same time.
// Other code should use random.h or row_numbers.h, which are built on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trainer/kernels/host_device.h"

namespace carrack::train {

CARRACK_HOST_DEVICE inline std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

CARRACK_HOST_DEVICE inline std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

// `count` counters of four words each: first the first words of all counters, then all second words, and so on. So
// equal words of neighbouring counters fill a vector.
template <std::size_t count>
using Counters = std::array<std::array<std::uint32_t, count>, 4>;

// Replaces each counter by the four numbers that are drawn for it.
template <std::size_t count>
CARRACK_HOST_DEVICE void draw_by_philox(Counters<count>& counters, std::array<std::uint32_t, 2> key) {
  auto& [a, b, c, d] = counters;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * a.data()[i];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * c.data()[i];
      a.data()[i] = high_word(second) ^ b.data()[i] ^ key[0];
      b.data()[i] = low_word(second);
      c.data()[i] = high_word(first) ^ d.data()[i] ^ key[1];
      d.data()[i] = low_word(first);
    }
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
}

}  // namespace carrack::train
