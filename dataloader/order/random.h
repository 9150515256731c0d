// Random: random draws as a pure function of a seed, a purpose and two counters. They are the same on every machine, so
// any draw can be repeated. Not for secrets. The generator is Philox 4x32-10 of Salmon, Moraes, Dror and Shaw,
// "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace carrack::data {

// 128 random bits.
using Draw = std::array<std::uint32_t, 4>;

// The generator itself; use Random instead.
constexpr Draw philox(Draw counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

// The finalizer of splitmix64: every bit of the result depends on every bit of `number`. Applied to a counter that
// begins at a random number, it is a cheaper generator than Philox.
constexpr std::uint64_t scrambled(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

// The draws for one purpose, such as "order" or "dropout/dense1". Draws for different purposes or seeds are
// independent. The purpose is not stored.
class Random {
 public:
  constexpr Random(std::uint64_t seed, std::string_view purpose) {
    std::uint64_t name = 0xcbf29ce484222325;  // FNV-1a
    for (const char letter : purpose) name = (name ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    const Draw drawn = philox(counter(seed, name), {});
    key_ = {drawn[0], drawn[1]};
  }

  // Returns the draw for two counters, for example an epoch or step and the number of a sample. Equal counters have
  // equal draws.
  constexpr Draw draw(std::uint64_t first, std::uint64_t second) const { return philox(counter(first, second), key_); }
  // Returns the first 64 bits of the draw.
  constexpr std::uint64_t bits(std::uint64_t first, std::uint64_t second) const {
    const Draw drawn = draw(first, second);
    return std::uint64_t{drawn[1]} << 32 | drawn[0];
  }

 private:
  static constexpr Draw counter(std::uint64_t first, std::uint64_t second) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32),
            static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(second >> 32)};
  }

  std::array<std::uint32_t, 2> key_;
};

}  // namespace carrack::data
