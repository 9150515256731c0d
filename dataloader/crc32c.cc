#include "dataloader/crc32c.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "dataloader/text.h"

namespace carrack::data {
namespace {

// A checksum is a polynomial over GF(2) modulo `castagnoli`. The lowest power of x is in the highest bit.
constexpr std::uint32_t castagnoli = 0x82f63b78u;
constexpr std::uint32_t one = 0x80000000u;
constexpr std::uint32_t times_x(std::uint32_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? castagnoli : 0);
}

constexpr std::uint32_t product_of(std::uint32_t left, std::uint32_t right) {
  std::uint32_t product = 0;
  for (; left != 0; left <<= 1, right = times_x(right)) product ^= (left & one) != 0 ? right : 0;
  return product;
}

// rows[0] has the checksum of each byte, and rows[n] the checksum of each byte followed by n zero bytes. So eight
// lookups process eight bytes.
using Rows = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Rows rows = [] {
  Rows made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = times_x(crc);
    made[0][byte] = crc;
  }
  for (std::size_t row = 1; row < 8; ++row)
    for (std::size_t byte = 0; byte < 256; ++byte)
      made[row][byte] = (made[row - 1][byte] >> 8) ^ made[0][made[row - 1][byte] & 0xff];
  return made;
}();

// The result of a crc32 instruction is available after three cycles, but one can start in each cycle. So the checksums
// of three adjacent parts of the input, the streams, are computed at the same time. A stream has at most this size.
constexpr std::size_t longest_stream = 128;  // words of eight bytes

// The factors that move a checksum over zeros: n words of zeros multiply a checksum by x^(64 n). To compute this, the
// carry-less product of the checksum and shifts[n] is reduced by the crc32 instruction. The product of two numbers with
// reversed bits is one power of x too high, and the reduction multiplies it by x^32. So shifts[n] is x^(64 n - 33).
constexpr std::array<std::uint32_t, 2 * longest_stream + 1> shifts = [] {
  std::array<std::uint32_t, 2 * longest_stream + 1> made{};
  std::uint32_t power = one;
  for (int i = 0; i < 64 - 33; ++i) power = times_x(power);
  for (std::size_t words = 1; words < made.size(); ++words) {
    made[words] = power;
    for (int i = 0; i < 64; ++i) power = times_x(power);
  }
  return made;
}();

// Folding replaces 16 bytes of the input by 16 other bytes, `folded` bytes later, that have the same effect on the
// checksum: the sum of the carry-less products of both halves with powers of x. As these products are one power of x
// too high, the exponents below are lower by 1.
constexpr std::size_t folded = 256;  // bytes, in four registers
constexpr std::uint64_t power_of_x(int exponent) {
  std::uint32_t power = one;
  for (; exponent > 0; --exponent) power = times_x(power);
  return std::uint64_t{power} << 32;
}
constexpr std::uint64_t over_first_half = power_of_x(8 * folded + 64 - 1);
constexpr std::uint64_t over_second_half = power_of_x(8 * folded - 1);

std::uint64_t word_at(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#define CARRACK_HARDWARE __attribute__((target("sse4.2,pclmul")))

// Returns the carry-less product, which is not reduced yet.
CARRACK_HARDWARE __m128i product(std::uint64_t crc, std::uint32_t shift) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                              _mm_cvtsi32_si128(static_cast<int>(shift)), 0);
}

// Returns the checksum, not yet inverted, of three adjacent streams of `words` words each.
CARRACK_HARDWARE std::uint64_t three_streams(const std::byte* at, std::size_t words, std::uint64_t crc) {
  const std::size_t length = words * 8;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (const std::byte* end = at + length; at != end; at += 8) {
    crc = _mm_crc32_u64(crc, word_at(at));
    second = _mm_crc32_u64(second, word_at(at + length));
    third = _mm_crc32_u64(third, word_at(at + 2 * length));
  }
  const __m128i shifted = _mm_xor_si128(product(crc, shifts[2 * words]), product(second, shifts[words]));
  return third ^ _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(shifted)));
}

// Returns the checksum, not yet inverted, of `left` bytes.
CARRACK_HARDWARE std::uint64_t streams(const std::byte* at, std::size_t left, std::uint64_t crc) {
  while (left >= 96) {  // With fewer bytes, combining three streams costs more than it saves.
    const std::size_t words = std::min(left / 24, longest_stream);
    crc = three_streams(at, words, crc);
    at += 24 * words;
    left -= 24 * words;
  }
  for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, word_at(at));
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, std::to_integer<std::uint8_t>(*at));
  return narrow;
}

#define CARRACK_WIDE __attribute__((target("sse4.2,pclmul,avx512f,vpclmulqdq")))

// Folds the 64 bytes in `lanes`, each 16 bytes by themselves, onto the input bytes at `onto`, `folded` bytes later.
CARRACK_WIDE __m512i moved(__m512i lanes, __m512i powers, const std::byte* onto) {
  const __m512i first = _mm512_clmulepi64_epi128(lanes, powers, 0x00);
  const __m512i second = _mm512_clmulepi64_epi128(lanes, powers, 0x11);
  return _mm512_ternarylogic_epi64(first, second, _mm512_loadu_si512(onto), 0x96);  // all three xored
}

// Writes `folded` bytes to `into` whose checksum, computed from 0, is the checksum of the input computed from `crc`.
// `bytes` is a multiple of `folded`, and at least twice `folded`.
CARRACK_WIDE void fold(const std::byte* at, std::size_t bytes, std::uint64_t crc, std::byte* into) {
  constexpr auto first = static_cast<long long>(over_first_half), second = static_cast<long long>(over_second_half);
  const __m512i powers = _mm512_set4_epi64(second, first, second, first);
  __m512i lanes[4];
  for (int i = 0; i < 4; ++i) lanes[i] = _mm512_loadu_si512(at + 64 * i);
  lanes[0] = _mm512_xor_si512(lanes[0], _mm512_zextsi128_si512(_mm_cvtsi64_si128(static_cast<long long>(crc))));
  for (const std::byte* end = at + bytes; (at += folded) != end;)
    for (int i = 0; i < 4; ++i) lanes[i] = moved(lanes[i], powers, at + 64 * i);
  for (int i = 0; i < 4; ++i) _mm512_storeu_si512(into + 64 * i, lanes[i]);
}

#undef CARRACK_WIDE
#undef CARRACK_HARDWARE

}  // namespace

namespace crc32c_implementations {

bool has_hardware() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
bool has_wide() {
  return has_hardware() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
}

std::uint32_t hardware(std::span<const std::byte> bytes, std::uint32_t initial) {
  return static_cast<std::uint32_t>(~streams(bytes.data(), bytes.size(), std::uint32_t{~initial}));
}

std::uint32_t wide(std::span<const std::byte> bytes, std::uint32_t initial) {
  if (bytes.size() < 4 * folded) return hardware(bytes, initial);
  const std::size_t whole = bytes.size() / folded * folded;
  std::array<std::byte, folded> rest;
  fold(bytes.data(), whole, std::uint32_t{~initial}, rest.data());
  const std::uint64_t crc = streams(rest.data(), rest.size(), 0);
  return static_cast<std::uint32_t>(~streams(bytes.data() + whole, bytes.size() - whole, crc));
}

std::uint32_t table(std::span<const std::byte> bytes, std::uint32_t initial) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint32_t crc = ~initial;
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint64_t word = word_at(at) ^ crc;
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) crc ^= rows[7 - byte][(word >> (8 * byte)) & 0xff];
  }
  for (; left > 0; ++at, --left) crc = (crc >> 8) ^ rows[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
  return ~crc;
}

}  // namespace crc32c_implementations

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t initial) {
  static const auto implementation = crc32c_implementations::has_wide()       ? crc32c_implementations::wide
                                     : crc32c_implementations::has_hardware() ? crc32c_implementations::hardware
                                                                              : crc32c_implementations::table;
  return implementation(bytes, initial);
}

// Appending bytes to an input multiplies its checksum by x^8 for each byte, and adds the checksum of those bytes.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  std::uint32_t power = one >> 8;
  for (; second_size != 0; second_size >>= 1, power = product_of(power, power)) {
    if ((second_size & 1) != 0) first = product_of(first, power);
  }
  return first ^ second;
}

std::string crc32c_hex(std::uint32_t crc) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(crc));
  return digits;
}

std::string crc32c_base64(std::uint32_t crc) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(crc >> shift & 0xff);
  return base64(bytes);
}

}  // namespace carrack::data
