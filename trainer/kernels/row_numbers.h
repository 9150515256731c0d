// Random numbers for the elements of rows, by Philox (random.h).
#pragma once

#include <array>
#include <cstdint>

#include "trainer/kernels/random.h"

namespace carrack::train {

// Numbers of 32 bits for the elements of rows, all independent, in one step of a training. `number` tells apart what
// draws for the same purpose in the same step.
class RowNumbers {
 public:
  RowNumbers(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint32_t number);
  // Those of the elements from 32 `block` to 32 `block` + 31 of a row: of so many, as their computation lies in
  // vectors.
  std::array<std::uint32_t, 32> block(std::uint64_t row, std::uint64_t block) const;

 private:
  std::array<std::uint32_t, 4> drawn_;
};

}  // namespace carrack::train
