// CRC-32C (Castagnoli), the checksum of TFRecords, TensorFlow bundles and Google Cloud Storage. The fastest
// implementation that the machine supports is chosen at run time; all give the same results. Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carrack::data {

// `initial` is the checksum of the bytes before these, so a long input can be processed in parts.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t initial = 0);

// The checksum of two inputs in sequence, from the checksum of each; the second one has `second_size` bytes.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

// The checksum as 4 big-endian bytes in base64, as object stores write it: "mnG7TA==".
std::string crc32c_base64(std::uint32_t crc);

// TensorFlow stores checksums masked, so that bytes that contain checksums can be checksummed again.
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

// The implementations, for tests and benchmarks: call `hardware` only if has_hardware(), and `wide` only if has_wide().
namespace crc32c_implementations {
bool has_hardware();
bool has_wide();
std::uint32_t hardware(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t wide(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t table(std::span<const std::byte> bytes, std::uint32_t initial);
}  // namespace crc32c_implementations

}  // namespace carrack::data
