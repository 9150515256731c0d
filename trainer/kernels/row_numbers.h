// Random numbers for the elements of a batch's rows, such as for dropout. As in random.h there is no generator with a
// state: each number is a function of where it is used, so workers and devices can draw any rows in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trainer/kernels/host_device.h"
#include "trainer/kernels/philox.h"
#include "trainer/kernels/random.h"

namespace carrack::train {

// The random numbers of one layer for one batch: 32 bits for each element of each row, all independent. The same
// arguments give the same numbers on any machine and device. Immutable.
class RowRandomNumbers {
 public:
  // `seed` is that of the job, and `step` the number of the batch. Layers that draw for the same purpose need different
  // `number`s.
  RowRandomNumbers(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint32_t number);
  // Returns the numbers of elements 32 * block to 32 * block + 31 of the row, in this order. `row` is the row's number
  // in the batch.
  std::array<std::uint32_t, 32> block(std::uint64_t row, std::uint64_t block) const;

  // Returns the same numbers in another arrangement, for vectors and GPUs: 4 * count numbers from element 4 * first on,
  // where [j][i] is the number of element 4 * (first + i) + j of the row.
  template <std::size_t count>
  CARRACK_HOST_DEVICE Counters<count> quads(std::uint64_t row, std::uint64_t first) const {
    Counters<count> counters;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t quad = first + i;
      counters[0].data()[i] = low_word(quad);
      counters[1].data()[i] = high_word(quad) ^ drawn_[2];
      counters[2].data()[i] = low_word(row);
      counters[3].data()[i] = high_word(row) ^ drawn_[3];
    }
    // The key and half of each counter are themselves drawn from the constructor's arguments. So objects with different
    // arguments draw different numbers.
    draw_by_philox(counters, {drawn_[0], drawn_[1]});
    return counters;
  }

 private:
  std::array<std::uint32_t, 4> drawn_;
};

}  // namespace carrack::train
