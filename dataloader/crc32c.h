// CRC-32C (Castagnoli), the checksum of TFRecords, TensorFlow checkpoints and Google Cloud Storage. Uses the fastest
// implementation that the CPU supports; all have the same results. Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carrack::data {

// Returns the checksum of `bytes`. For an input in several parts, pass the checksum of the parts before as `initial`:
// crc32c(b, crc32c(a)) is the checksum of a and b together.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t initial = 0);

// Returns the checksum of a and b together from crc32c(a), crc32c(b) and the size of b in bytes, without their bytes.
// So several threads can compute the checksum of one input. The cost grows with the logarithm of `second_size`.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

// Returns the base64 of the checksum's 4 bytes in big-endian order, as object stores write it: "mnG7TA==".
std::string crc32c_base64(std::uint32_t crc);

// masked() converts a checksum to the form in which TensorFlow stores it in files, because the CRC of bytes that
// contain CRCs is weak. unmasked() is its inverse.
constexpr std::uint32_t masked(std::uint32_t crc) {
  return std::rotr(crc, 15) + 0xa282ead8u;
}
constexpr std::uint32_t unmasked(std::uint32_t stored) {
  return std::rotl(stored - 0xa282ead8u, 15);
}

// Returns the masked checksum of `bytes`, as a TFRecord contains it.
inline std::uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  return masked(crc32c(bytes));
}

// Returns eight lower-case hexadecimal digits: "0badf00d".
std::string crc32c_hex(std::uint32_t crc);

// The implementations of crc32c(), for tests and benchmarks. Call hardware() only if has_hardware(), and wide() only if
// has_wide().
namespace crc32c_implementations {
bool has_hardware();
bool has_wide();
std::uint32_t hardware(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t wide(std::span<const std::byte> bytes, std::uint32_t initial);
std::uint32_t table(std::span<const std::byte> bytes, std::uint32_t initial);
}  // namespace crc32c_implementations

}  // namespace carrack::data
