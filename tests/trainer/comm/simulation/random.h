// The only source of randomness of a simulated run: the same seed gives the same run on every machine.
#pragma once

#include <cstdint>

namespace carrack::train::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    return mixed(state_);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool chance(std::uint64_t of_a_thousand) { return below(1000) < of_a_thousand; }

  // The finisher of splitmix64: different numbers give unrelated bits.
  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace carrack::train::simulation
