// Reads and writes numbers in the bytes of binary files. Little-endian, like all supported machines; for big-endian
// numbers the caller reverses the bytes. Numbers need not be aligned, as they are copied.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace carrack::data {

static_assert(std::endian::native == std::endian::little);

// Returns the number in the sizeof(Number) bytes at `at`, which the caller must have checked to exist. For example,
// number_at<std::uint32_t>(bytes) reads 4 bytes.
template <typename Number>
Number number_at(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// Appends the sizeof(Number) bytes of the number.
template <std::integral Number>
void append_number(std::vector<std::byte>& to, Number number) {
  const auto bytes = std::as_bytes(std::span(&number, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace carrack::data
