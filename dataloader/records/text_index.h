// Reads and writes text indexes as DALI's tfrecord2idx makes them, docs/formats/index.md: a line with the offset and
// the size of each record's frame. They do not name the version of their file, so each line is compared with the file.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// The message for a compressed file, which cannot have a text index.
inline constexpr const char* compressed_text_index =
    "it is compressed, and a text index is of files whose records lie in them as they are; leave out --text";

// Returns the text for the index of a file, which must not be compressed.
std::string text_index_of(const Index& index);

// Builds the index of the file with build_index() and compares each line of `text` with it. Returns a message for the
// user if they differ, or the file is damaged or compressed. Throws Error if the storage fails.
std::variant<Index, std::string> index_from_text(std::string_view text, const ByteSource& file);

}  // namespace carrack::data
