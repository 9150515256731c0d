// CRC-32C (Castagnoli), the checksum of TFRecords, TensorFlow bundles and Google Cloud Storage.
// Takes the machine's instruction where there is one, chosen once at run time; any way gives the same numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carrack::data {

// `initial` is the checksum of what came before, so that a long input can be given in parts.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t initial = 0);

// The checksum of an input in two parts, each checksummed by itself; the second one has `second_size` bytes.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

// The checksum as 4 big-endian bytes in base64, as object stores write it: "mnG7TA==".
std::string crc32c_base64(std::uint32_t crc);

// What TensorFlow stores in place of a checksum, so that bytes which hold checksums can be checksummed again.
constexpr std::uint32_t masked(std::uint32_t crc) {
  return std::rotr(crc, 15) + 0xa282ead8u;
}
constexpr std::uint32_t unmasked(std::uint32_t stored) {
  return std::rotl(stored - 0xa282ead8u, 15);
}

inline std::uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  return masked(crc32c(bytes));
}

// Eight lower-case hexadecimal digits: "0badf00d".
std::string crc32c_hex(std::uint32_t crc);

// The ways, for tests and benchmarks: `hardware` only where `has_hardware()`, `wide` where `has_wide()`.
namespace crc32c_implementations {
bool has_hardware();
bool has_wide();
std::uint32_t hardware(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t wide(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t table(std::span<const std::byte> bytes, std::uint32_t initial);
}  // namespace crc32c_implementations

}  // namespace carrack::data
