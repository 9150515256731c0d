// What a file is, by its first bytes. A record's length has a checksum, so a file that begins with one is no other.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::data {

enum class Kind { records, gzip, zlib, lfs_pointer, unknown };

// So many bytes tell.
constexpr std::size_t first_bytes = 16;

// `bytes` are the first of the file, or all where it has fewer; a file of none holds no records.
Kind kind_of(std::span<const std::byte> bytes);
// Of a file of text, which is compressed as GZIP, a pointer of Git LFS or unknown.
Kind kind_of_text(std::span<const std::byte> bytes);

// In words: "it is compressed as GZIP".
const char* kind_text(Kind kind);

}  // namespace carrack::data
