// Recognizes the kind of a file by its first bytes. The length of a record has a checksum, so records are recognized
// reliably. All functions but kind_of_file() are pure.
#pragma once

#include <cstddef>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

// lfs_pointer: the short text that Git LFS puts in place of a file that it has not fetched.
enum class Kind { records, gzip, zlib, lfs_pointer, unknown };

// The number of bytes by which a kind is recognized.
constexpr std::size_t first_bytes = 16;

// `bytes` must be at least the first `first_bytes` bytes of the file, or the whole file if it is shorter. An empty file
// is of kind `records`.
Kind kind_of(std::span<const std::byte> bytes);
// Reads the first bytes of the file. A file that has changed is of kind `unknown`. Throws Error if the storage fails.
Kind kind_of_file(const ByteSource& file);
// Like kind_of(), for a file that should be text: returns only gzip, lfs_pointer or unknown. Text is `unknown`.
Kind kind_of_text(std::span<const std::byte> bytes);
// True if the bytes are printable ASCII, tabs and line breaks, and at least eight. The length of a record takes eight
// bytes, and never looks like this, as its upper bytes are zero.
bool is_text_and_no_record(std::span<const std::byte> bytes);
inline constexpr const char* text_message =
    "it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines";

// `none` for a kind that is not compressed.
Compression compression_of(Kind kind);

// Returns a half sentence for messages, such as "it is compressed as GZIP".
const char* kind_text(Kind kind);

}  // namespace carrack::data
