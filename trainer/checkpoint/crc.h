// Checksums of what is in several places, and how texts show them.
#pragma once

#include <cstdint>
#include <string>

namespace carrack::checkpoint {

// The CRC-32C of two runs of bytes one after the other, from the CRC of each: so the checksum of a whole tensor or file
// follows from those of its parts without reading a byte.
std::uint32_t join_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

// Eight lower-case hexadecimal digits.
std::string hex(std::uint32_t crc);

}  // namespace carrack::checkpoint
