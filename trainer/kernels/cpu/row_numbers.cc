#include "trainer/kernels/row_numbers.h"

#include "trainer/kernels/philox.h"

namespace carrack::train {

RowNumbers::RowNumbers(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint32_t number)
    : drawn_(philox({low_word(step), high_word(step), number, static_cast<std::uint32_t>(purpose)},
                    {low_word(seed), high_word(seed)})) {}

// Keys and counters of two streams have nothing in common, as they are drawn themselves.
std::array<std::uint32_t, 32> RowNumbers::block(std::uint64_t row, std::uint64_t block) const {
  constexpr std::size_t count = 8;  // fills vectors of eight words
  Counters<count> counters;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t quad = block * count + i;
    counters[0][i] = low_word(quad);
    counters[1][i] = high_word(quad) ^ drawn_[2];
    counters[2][i] = low_word(row);
    counters[3][i] = high_word(row) ^ drawn_[3];
  }
  draw_by_philox(counters, {drawn_[0], drawn_[1]});
  std::array<std::uint32_t, 4 * count> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < 4; ++word) numbers.data()[4 * i + word] = counters[word].data()[i];
  }
  return numbers;
}

}  // namespace carrack::train
