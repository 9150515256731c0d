// Reads and writes the numbers in files, which are little-endian, as are the supported machines. Numbers need not be
// aligned, as they are copied.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace carrack::data {

static_assert(std::endian::native == std::endian::little);

// Reads the sizeof(Number) bytes at `at`.
template <typename Number>
Number number_at(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

template <std::integral Number>
void append_number(std::vector<std::byte>& to, Number number) {
  const auto bytes = std::as_bytes(std::span(&number, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace carrack::data
