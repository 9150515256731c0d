// The kind of a file, by its first bytes. The length of a record has a checksum, so records are recognized reliably.
// Pure functions, but for kind_of_file().
#pragma once

#include <cstddef>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

enum class Kind { records, gzip, zlib, lfs_pointer, unknown };

// The number of bytes that are needed.
constexpr std::size_t first_bytes = 16;

// `bytes` are the first of the file, or all of them. An empty file is of kind `records`.
Kind kind_of(std::span<const std::byte> bytes);
// Reads the first bytes. A file that has changed is of kind `unknown`.
Kind kind_of_file(const ByteSource& file);
// For a file that should be text: gzip, lfs_pointer or unknown.
Kind kind_of_text(std::span<const std::byte> bytes);
// Whether the bytes are printable ASCII, tabs and line breaks, and at least as many as a record's length takes. A
// length never looks like this, as its upper bytes are zero.
bool is_text_and_no_record(std::span<const std::byte> bytes);
inline constexpr const char* text_message =
    "it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines";

// `none` for a kind that is not compressed.
Compression compression_of(Kind kind);

// For messages: "it is compressed as GZIP".
const char* kind_text(Kind kind);

}  // namespace carrack::data
