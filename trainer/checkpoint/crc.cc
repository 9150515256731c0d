#include "trainer/checkpoint/crc.h"

#include <cstdio>

namespace carrack::checkpoint {
namespace {

// Polynomials over GF(2), lowest power in the highest bit, modulo Castagnoli's.
constexpr std::uint32_t polynomial = 0x82f63b78;
constexpr std::uint32_t one = 0x80000000;
constexpr std::uint32_t one_byte_on = one >> 8;

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (std::uint32_t power = one; power != 0; power >>= 1) {
    if (a & power) sum ^= b;
    b = b & 1 ? b >> 1 ^ polynomial : b >> 1;
  }
  return sum;
}

}  // namespace

// Bytes that follow multiply a checksum by x^8 each; what they hold is then added.
std::uint32_t join_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  std::uint32_t shift = one;
  std::uint32_t square = one_byte_on;
  for (; second_size != 0; second_size >>= 1) {
    if (second_size & 1) shift = product(shift, square);
    square = product(square, square);
  }
  return product(first, shift) ^ second;
}

std::string hex(std::uint32_t crc) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc);
  return digits;
}

}  // namespace carrack::checkpoint
