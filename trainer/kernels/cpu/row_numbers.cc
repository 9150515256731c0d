#include "trainer/kernels/row_numbers.h"

namespace carrack::train {

RowRandomNumbers::RowRandomNumbers(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint32_t number)
    : drawn_(philox({low_word(step), high_word(step), number, static_cast<std::uint32_t>(purpose)},
                    {low_word(seed), high_word(seed)})) {}

std::array<std::uint32_t, 32> RowRandomNumbers::block(std::uint64_t row, std::uint64_t block) const {
  constexpr std::size_t count = 8;  // the number of counters whose equal words fill a vector of eight 32-bit words
  const Counters<count> counters = quads<count>(row, block * count);
  std::array<std::uint32_t, 4 * count> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < 4; ++word) numbers.data()[4 * i + word] = counters[word].data()[i];
  }
  return numbers;
}

}  // namespace carrack::train
