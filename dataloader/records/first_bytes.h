// Recognizes by its first 16 bytes whether a data file is a TFRecord file, GZIP, ZLIB or none of these, so that users
// need not name the compression of their files. A TFRecord file is recognized by the checksum of its first length; if
// that length is damaged, it is not. All functions but kind_of_file() are pure.
#pragma once

#include <cstddef>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

// records: an uncompressed TFRecord file. lfs_pointer: the short text that Git LFS puts in place of a file that it has
// not fetched. unknown: anything else, such as CSV.
enum class Kind { records, gzip, zlib, lfs_pointer, unknown };

// The number of bytes by which a kind is recognized.
constexpr std::size_t first_bytes = 16;

// `bytes` must be at least the first `first_bytes` bytes of the file, or the whole file if it is shorter. An empty file
// is of kind `records`.
Kind kind_of(std::span<const std::byte> bytes);
// Reads the first bytes of the file and returns their kind_of(). A file that was replaced since its `stat` was read is
// `unknown`. Throws Error if the storage fails.
Kind kind_of_file(const ByteSource& file);
// Like kind_of(), for a file that should be text, such as CSV: returns only gzip, lfs_pointer or unknown. Plain text is
// `unknown`.
Kind kind_of_text(std::span<const std::byte> bytes);
// True if there are at least eight bytes, and all are printable ASCII, tabs or line breaks. Such a file is text
// that was named by mistake, not a damaged TFRecord file: the length of a record has eight bytes, and its upper bytes
// are zero.
bool is_text_and_no_record(std::span<const std::byte> bytes);
// The message for such a file.
inline constexpr const char* text_message =
    "it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines";

// `none` for a kind that is not compressed.
Compression compression_of(Kind kind);

// Returns a half sentence for messages, such as "it is compressed as GZIP".
const char* kind_text(Kind kind);

}  // namespace carrack::data
